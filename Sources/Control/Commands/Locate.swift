import ArgumentParser
import LocationClient

struct Locate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Waits for one fix and prints it.",
    discussion: """
      Example: handlebarctl locate --timeout 5 --json

      Exits 0 with a fix, 3 without a daemon, 4 without a fix in time (the last known position is printed to standard error), 5 if access to the \
      receiver or the socket is denied, 6 if the source is disabled.
      """)

  @Option(help: .value("S", "Seconds to wait (default: 10).")) var timeout: DecimalArgument?
  @Option(help: .value("S", "Maximum age of the fix, seconds (default: 2).")) var maxAge: DecimalArgument?
  @Flag(help: "Print the daemon's reply as it is, one JSON object.") var json = false
  @OptionGroup var options: ReportOptions

  func validate() throws {
    for (name, value) in [("--timeout", timeout), ("--max-age", maxAge)] {
      if let value, !(0...3600).contains(value.value) { throw ValidationError("\(name) must be 0 to 3600 seconds") }
    }
  }

  func run() async throws {
    let reply = try await options.connection.ask(waitingFor: "a fix", units: options.units) {
      try await $0.locateReply(timeout: .seconds(timeout?.value ?? 10), maxAge: .seconds(maxAge?.value ?? 2))
    }
    if json {
      StandardOutput.line(reply.line)
    } else {
      StandardOutput.line(PositionText.text(reply.position, options.units))
    }
  }
}
