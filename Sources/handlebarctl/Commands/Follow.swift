import ArgumentParser
import LocationClient

/// `follow`: whether a view follows the rider.
struct Follow: AsyncParsableCommand {
  enum Switch: String, ExpressibleByArgument, CaseIterable {
    case on, off
  }

  static let configuration = CommandConfiguration(
    abstract: "Shows or changes whether a view follows the rider.",
    discussion: "Example: handlebarctl follow on --view main")

  @Argument(help: "Follow again, or let go; without it the state is shown.")
  var state: Switch?

  @Option(help: ArgumentHelp("Name of the view.", valueName: "NAME"))
  var view = "main"

  @OptionGroup var connection: ConnectionOptions
  @ParentCommand var parent: Handlebarctl

  func validate() throws {
    try ViewName.validate(view)
  }

  func run() async throws {
    let report = try await connection.ask(after: parent.connection) { client throws(LocationClientError) in
      guard let state else { return try await client.follow(view: view) }
      return try await client.setFollowing(state == .on, view: view)
    }
    StandardOutput.line(ReportText.line(report))
  }
}

/// What the daemon takes for a name.
enum ViewName {
  static func validate(_ name: String, _ what: String = "--view") throws {
    guard (1...64).contains(name.utf8.count) else { throw ValidationError("\(what) is 1 to 64 bytes long") }
  }
}
