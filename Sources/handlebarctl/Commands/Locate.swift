import ArgumentParser
import LocationClient

/// `locate`: one fix.
struct Locate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Waits for one fix.",
    discussion: """
      Example: handlebarctl locate --timeout 5 --json

      Exits 0 with a fix, 4 when there was none in time (the last known position goes to standard error), 5 when the receiver or the socket is denied, 6 when
      location is disabled, 3 without a daemon.
      """)

  @Option(help: ArgumentHelp("Seconds to wait.", valueName: "S"))
  var timeout: DecimalArgument?

  @Option(help: ArgumentHelp("Oldest acceptable fix, seconds.", valueName: "S"))
  var maxAge: DecimalArgument?

  @Flag(help: "Print the daemon's answer as it is, one JSON object.")
  var json = false

  @OptionGroup var connection: ConnectionOptions
  @ParentCommand var parent: Handlebarctl

  func validate() throws {
    for (name, value) in [("--timeout", timeout), ("--max-age", maxAge)] {
      if let value, !(0...3600).contains(value.value) { throw ValidationError("\(name) is seconds from 0 to 3600") }
    }
  }

  func run() async throws {
    let reply = try await connection.ask(after: parent.connection, waitingFor: "a fix") {
      client throws(LocationClientError) in
      try await client.locateReply(timeout: .seconds(timeout?.value ?? 10), maxAge: .seconds(maxAge?.value ?? 2))
    }
    if json {
      StandardOutput.write(reply.line + [UInt8(ascii: "\n")])
    } else {
      StandardOutput.line(PositionText.text(reply.position))
    }
  }
}
