import ArgumentParser
import GPSDProtocol
import LocationClient

struct Receiver: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows what the receiver is and how it is set up, or sets it up again.",
    discussion: """
      Example: handlebarctl receiver plan

      A source asks for a set-up with a table in the configuration: receiver = { rate = 5, model = "bike" }. Nothing is sent to others.
      """,
    subcommands: [Show.self, Plan.self, Apply.self], defaultSubcommand: Show.self)

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows the result of the last set-up.", discussion: "Example: handlebarctl receiver show --json")

    @OptionGroup var options: ReceiverOptions

    func run() async throws { try await options.run(nil) }
  }

  struct Plan: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Reads the receiver's settings and shows what would be sent.",
      discussion: "Example: handlebarctl receiver plan")

    @OptionGroup var options: ReceiverOptions

    func run() async throws { try await options.run(.plan) }
  }

  struct Apply: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Brings the receiver into the configured state, as happens when it is plugged in.",
      discussion: """
        Example: handlebarctl receiver apply

        Exits 0 if every setting is as wanted, else 1.
        """)

    @OptionGroup var options: ReceiverOptions

    func run() async throws { try await options.run(.apply) }
  }

  @OptionGroup var connection: ConnectionOptions
}

struct ReceiverOptions: ParsableArguments {
  @Option(help: .value("NAME", "Name of the source, as in handlebarctl status.")) var source: String?
  @Flag(help: "Print the daemon's reply as it is, one JSON object.") var json = false
  @OptionGroup var connection: ConnectionOptions

  func run(_ action: ReceiverRequest.Action?) async throws {
    let reply = try await connection.ask(waitingFor: "the receiver") { client in
      var reply = try await client.receiverReply(ReceiverRequest(source: source, action: action))
      // A set-up with every time-out takes about a minute.
      for _ in 0..<400 where action != nil && reply.report.isRunning {
        do { try await Task.sleep(for: .milliseconds(200)) } catch { throw LocationClientError.cancelled }
        reply = try await client.receiverReply(ReceiverRequest(source: source))
      }
      return reply
    }
    if json { StandardOutput.line(reply.line) } else { StandardOutput.lines(Self.lines(reply.report)) }
    let isWanted = reply.report.settings.allSatisfy {
      ["same", "set", "acknowledged", "sent", "planned"].contains($0.outcome)
    }
    guard reply.report.state == "off" && action == nil || reply.report.state == "done" && isWanted else {
      throw ExitCode.failure
    }
  }

  private static func lines(_ report: ReceiverReport) -> [String] {
    let hint = report.state == "unsupported" ? report.family.flatMap { ReceiverHint.ofFamily[$0] } : nil
    let rows = Text.rows([
      "source": report.source.printable + (report.device.map { ", \($0.printable)" } ?? ""),
      "set-up": state(report),
      "receiver": report.family.map { _ in ReceiverHint.name(report) },
      "by hand": hint.map { "\($0.ability): \($0.words)" },
      "epochs": report.output.map { $0.uppercased().printable },
    ])
    return rows
      + report.settings.map { setting in
        let values = (setting.current.map { "\($0), " } ?? "") + (setting.wanted.map { "wanted \($0): " } ?? "")
        let command = setting.command.map { " (\($0.printable))" } ?? ""
        return Text.row("- \(setting.name.printable)", values + setting.outcome.printable + command)
      }
  }

  private static func state(_ report: ReceiverReport) -> String {
    switch report.state {
    case "off": "not configured: nothing is sent to the receiver"
    case "unsupported" where report.family != nil: "receivers of this family are left as they are"
    case "unsupported": "the receiver answers no known query: nothing was set"
    case "busy": "not possible while \(report.holder?.printable ?? "another process") holds the receiver"
    case "lost": "the receiver stopped answering"
    default: report.state.printable
    }
  }
}
