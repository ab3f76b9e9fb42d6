import GPSDProtocol

/// How the recording stands, for a person.
enum RecordText {
  static func lines(_ report: RecordReport) -> [String] {
    var lines = [row("recording", state(report))]
    if let file = report.file { lines.append(row("file", file.printable)) }
    if let bytes = report.bytes, bytes > 0 { lines.append(row("written", RideText.size(bytes))) }
    guard let fixes = report.fixes else { return lines }
    if let start = report.start { lines.append(row("start", RideText.time(start))) }
    lines.append(row("duration", RideText.clock(report.duration ?? 0)))
    lines.append(row("moving", RideText.clock(report.movingTime ?? 0)))
    lines.append(row("distance", RideText.kilometres(report.distance ?? 0)))
    if let ascent = report.ascent { lines.append(row("ascent", "\(ascent.decimals(0)) m")) }
    lines.append(row("average", RideText.speed(report.averageSpeed)))
    lines.append(row("fastest", RideText.speed(report.maxSpeed)))
    lines.append(row("fixes", "\(fixes), \(report.gaps ?? 0) gaps"))
    return lines
  }

  private static func state(_ report: RecordReport) -> String {
    switch report.state {
    case "recording": "the ride \(report.ride?.printable ?? "?")"
    case "failed": "stopped, and tried again: \(report.error?.printable ?? "?")"
    case "off": "off: no directory is configured; start handlebard with --record DIR"
    case "stopped": "stopped; begin with: handlebarctl record start"
    default: report.state.printable
    }
  }

  private static func row(_ name: String, _ value: String) -> String { "\(name.left(14)) \(value)" }
}
