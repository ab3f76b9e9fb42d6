import ArgumentParser
import LocationClient

/// `status`: health and counters.
struct Status: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows the source, the age of the last fix, clients, counters and the recording.",
    discussion: """
      Example: handlebarctl status && echo "there is a fix"

      Exits 0 only with a valid fix, 1 without one, 3 without a daemon.
      """)

  @Flag(help: "Print the daemon's answer as it is, one JSON object.")
  var json = false

  @OptionGroup var connection: ConnectionOptions
  @ParentCommand var parent: Handlebarctl

  func run() async throws {
    let reply = try await connection.ask(after: parent.connection) { client throws(LocationClientError) in
      try await client.statusReply()
    }
    if json {
      StandardOutput.write(reply.line + [UInt8(ascii: "\n")])
    } else {
      for line in StatusText.lines(reply.report) { StandardOutput.line(line) }
    }
    guard StatusText.hasFix(reply.report) else { throw ExitCode.failure }
  }
}
