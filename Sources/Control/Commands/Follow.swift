import ArgumentParser
import LocationClient

struct Follow: AsyncParsableCommand {
  enum Switch: String, ExpressibleByArgument, CaseIterable {
    case on, off
  }

  static let configuration = CommandConfiguration(
    abstract: "Shows or changes whether a view follows the rider.",
    discussion: "Example: handlebarctl follow on --view main")

  @Argument(help: "on: follow; off: stop following; if omitted, show the state.") var state: Switch?
  @Option(help: .value("NAME", "Name of the view.")) var view = "main"
  @OptionGroup var options: ReportOptions

  func validate() throws { try ViewName.validate(view) }

  func run() async throws {
    let report = try await options.connection.ask { client in
      guard let state else { return try await client.follow(view: view) }
      return try await client.setFollowing(state == .on, view: view)
    }
    StandardOutput.line(ReportText(units: options.units).line(report))
  }
}
