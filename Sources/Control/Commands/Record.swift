import ArgumentParser
import LocationClient

struct Record: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Starts or stops the recording of rides, or shows its state.",
    discussion: """
      Example: handlebarctl record start

      The daemon records only into its configured directory (handlebard --record DIR).
      """,
    subcommands: [Start.self, Stop.self, Show.self], defaultSubcommand: Show.self)

  struct Start: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Starts recording.", discussion: "Example: handlebarctl record start")

    @Argument(help: .value("DIR", "The configured directory; any other is an error."), completion: .directory)
    var directory: String?

    @OptionGroup var options: ReportOptions

    func run() async throws {
      let report = try await options.connection.ask { client in
        var report = try await client.setRecording(true, directory: directory)
        // A worn flash may take seconds; the limit is half a minute.
        for _ in 0..<300 where report.state == .starting {
          do { try await Task.sleep(for: .milliseconds(100)) } catch { throw LocationClientError.cancelled }
          report = try await client.recording()
        }
        return report
      }
      StandardOutput.lines(RideText(units: options.units).lines(report))
      guard report.state == .recording else { throw ExitCode.failure }
    }
  }

  struct Stop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Stops recording; a later start may continue the ride.",
      discussion: "Example: handlebarctl record stop")

    @OptionGroup var options: ReportOptions

    func run() async throws {
      let report = try await options.connection.ask { try await $0.setRecording(false) }
      StandardOutput.lines(RideText(units: options.units).lines(report))
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "status", abstract: "Shows the state of the recording and the figures of the ride so far.",
      discussion: """
        Example: handlebarctl record status

        Exits 0 while recording, else 1.
        """)

    @Flag(help: "Print the daemon's reply as it is, one JSON object.") var json = false
    @OptionGroup var options: ReportOptions

    func run() async throws {
      let reply = try await options.connection.ask { try await $0.recordingReply() }
      let lines = RideText(units: options.units).lines(reply.report)
      if json { StandardOutput.line(reply.line) } else { StandardOutput.lines(lines) }
      guard reply.report.state == .recording else { throw ExitCode.failure }
    }
  }

  @OptionGroup var connection: ConnectionOptions
}
