import GPSDProtocol

/// What `status` says to a person.
enum StatusText {
  static func lines(_ status: StatusReport) -> [String] {
    var lines = [row("source", source(status)), row("last fix", fix(status))]
    lines.append(row("clients", "\(status.clients)" + (status.clientLimit.map { " of \($0)" } ?? "")))
    if let file = status.recording { lines.append(row("recording", file.printable)) }
    if let error = status.recordingError { lines.append(row("recording", "stopped: \(error.printable)")) }
    lines.append(row("daemon", "\(status.release.printable), up \(ReportText.duration(status.uptime))"))
    for source in status.sources { lines.append(row("- \(source.source.printable)", self.source(source))) }
    for (name, value) in (status.counts ?? [:]).sorted(by: { $0.key < $1.key }) where value > 0 {
      lines.append(row(name.printable, "\(value)"))
    }
    return lines
  }

  /// Whether there is a fix now.
  static func hasFix(_ status: StatusReport) -> Bool {
    status.state == "tracking" && (status.mode ?? 0) >= 2
  }

  private static func source(_ status: StatusReport) -> String {
    "\(status.source?.printable ?? "none"): \(status.state.printable)" + (status.mode.map { " \($0)D" } ?? "")
  }

  private static func source(_ source: SourceReport) -> String {
    var text = source.state.printable
    if let mode = source.mode { text += " \(mode)D" }
    if let device = source.device { text += ", \(device.printable)" }
    if let bps = source.bps { text += ", \(bps) bit/s" }
    if let message = source.message { text += ": \(message.printable)" }
    if let remedy = source.remedy { text += "; \(remedy.printable)" }
    return text
  }

  private static func fix(_ status: StatusReport) -> String {
    guard let seq = status.seq else { return "none yet" }
    return "#\(seq)" + (status.age.map { ", \($0.decimals(1)) s ago" } ?? "")
  }

  private static func row(_ name: String, _ value: String) -> String {
    "\(name.left(14)) \(value)"
  }
}
