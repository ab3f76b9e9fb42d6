import ArgumentParser
import LocationClient

/// `record`: begins and ends the recording of rides, and tells how it stands.
struct Record: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Begins or ends the recording of rides, or shows how it stands.",
    discussion: """
      Example: handlebarctl record start

      The daemon records into the directory of its configuration (--record DIR) and into no other.
      """,
    subcommands: [Start.self, Stop.self, Show.self], defaultSubcommand: Show.self)

  /// `record start`
  struct Start: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Begins to record.", discussion: "Example: handlebarctl record start")

    @Argument(help: ArgumentHelp("The daemon's directory for rides, to be sure of it.", valueName: "DIR"))
    var directory: String?

    @OptionGroup var connection: ConnectionOptions
    @ParentCommand var parent: Record

    func run() async throws {
      let report = try await connection.ask(after: parent.parent.connection) { client throws(LocationClientError) in
        var report = try await client.setRecording(true, directory: directory)
        // The disk may take its time; half a minute is long even for worn flash.
        for _ in 0..<300 where report.state == "starting" {
          do { try await Task.sleep(for: .milliseconds(100)) } catch { throw .cancelled }
          report = try await client.recording()
        }
        return report
      }
      for line in RecordText.lines(report) { StandardOutput.line(line) }
      guard report.state == "recording" else { throw ExitCode.failure }
    }
  }

  /// `record stop`
  struct Stop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Ends the recording; the ride can be gone on with.", discussion: "Example: handlebarctl record stop")

    @OptionGroup var connection: ConnectionOptions
    @ParentCommand var parent: Record

    func run() async throws {
      let report = try await connection.ask(after: parent.parent.connection) { client throws(LocationClientError) in
        try await client.setRecording(false)
      }
      for line in RecordText.lines(report) { StandardOutput.line(line) }
    }
  }

  /// `record status`
  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "status", abstract: "Shows how the recording stands, with the figures of the ride so far.",
      discussion: """
        Example: handlebarctl record status

        Exits 0 while it records, 1 otherwise.
        """)

    @Flag(help: "Print the daemon's answer as it is, one JSON object.")
    var json = false

    @OptionGroup var connection: ConnectionOptions
    @ParentCommand var parent: Record

    func run() async throws {
      let reply = try await connection.ask(after: parent.parent.connection) { client throws(LocationClientError) in
        try await client.recordingReply()
      }
      if json {
        StandardOutput.write(reply.line + [UInt8(ascii: "\n")])
      } else {
        for line in RecordText.lines(reply.report) { StandardOutput.line(line) }
      }
      guard reply.report.state == "recording" else { throw ExitCode.failure }
    }
  }

  @OptionGroup var connection: ConnectionOptions
  @ParentCommand var parent: Handlebarctl
}
