import ArgumentParser
import Forwarding
import GPSDProtocol
import LocationClient

struct Status: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows the source, the age of the newest fix, clients, counters and the recording.",
    discussion: """
      Example: handlebarctl status && echo "there is a fix"

      Exits 0 with a valid fix, 1 without one, 3 without a daemon.
      """)

  @Flag(help: "Print the daemon's reply as it is, one JSON object.") var json = false
  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    let reply = try await connection.ask { try await $0.statusReply() }
    let status = reply.report
    if json {
      StandardOutput.line(reply.line)
    } else {
      // A daemon that has no trips, courses or targets is no failure.
      let (trips, courses) = (try? await connection.client.trips(), try? await connection.client.courses())
      let targets = try? await connection.client.targets()
      StandardOutput.lines(Self.lines(status, trips ?? [], courses?.first, targets ?? []))
    }
    guard status.phase == .tracking, (status.mode ?? 0) >= 2 else { throw ExitCode.failure }
  }

  private static func lines(
    _ status: StatusReport, _ trips: [TripReport], _ course: CourseReport?, _ targets: [ArrivalReport]
  ) -> [String] {
    let texts = ReportText(units: .metric)
    let forwarding = (try? ForwardStore.read(ForwardState.standardDirectory)) ?? nil
    var lines = Text.rows([
      "source": source(status), "last fix": fix(status),
      "first fix": status.firstFix.map { PositionText.text($0) },
      "last position": status.lastKnown.map { PositionText.text($0, .metric) },
      "clients": "\(status.clients)" + (status.clientLimit.map { " of \($0)" } ?? ""),
      "recording": status.recording?.printable,
      "recording": status.recordingError.map { "failed: \($0.printable)" },
      "forwarding": forwarding.map(ForwardText.summary),
      "daemon": "\(status.release.printable), up \(Text.duration(status.uptime.inSeconds))",
    ])
    for trip in trips { lines.append(Text.row("trip", "\(trip.name.printable) is \(texts.figures(of: trip))")) }
    if let course { lines.append(Text.row("course", "\(course.name.printable) is \(texts.progress(on: course))")) }
    for target in targets { lines.append(Text.row("target", "\(target.name.printable) is \(texts.place(of: target))")) }
    for source in status.sources + status.sensors {
      let reason = source.source == status.source ? status.reason : nil
      lines.append(Text.row("- \(source.source.printable)", self.source(source, reason)))
    }
    for (name, value) in (status.counts ?? [:]).sorted(by: { $0.key < $1.key }) where value > 0 {
      lines.append(Text.row(name.printable, "\(value)"))
    }
    return lines
  }

  private static func source(_ status: StatusReport) -> String {
    "\(status.source?.printable ?? "none"): \(status.phase.rawValue.printable)"
      + (status.mode.map { " \($0)D" } ?? "")
  }

  private static func source(_ source: SourceReport, _ reason: StateReport.AbsenceReason?) -> String {
    var text = source.phase.rawValue.printable
    if let mode = source.mode { text += " \(mode)D" }
    if let device = source.device { text += ", \(device.printable)" }
    if let bps = source.bitRate { text += ", \(bps) bit/s" }
    if let warning = ReportText.interference(source, reason) { text += ", \(warning)" }
    if let message = source.message { text += ": \(message.printable)" }
    if let remedy = source.remedy { text += "; \(remedy.printable)" }
    return text
  }

  private static func fix(_ status: StatusReport) -> String {
    guard let seq = status.seq else { return "none yet" }
    return "#\(seq)" + (status.age.map { ", \($0.inSeconds.decimals(1)) s ago" } ?? "")
  }
}
