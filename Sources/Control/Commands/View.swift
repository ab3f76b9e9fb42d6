import ArgumentParser
import LocationClient

struct View: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Reports the position of a view, as a renderer does, and shows whether the view still follows.",
    discussion: "Example: handlebarctl view 48.1173 11.5167 --cause user")

  @Argument(help: "Latitude of the map point under the position marker's home pixel, degrees.") var lat: DecimalArgument
  @Argument(help: "Longitude of that point, degrees.") var lon: DecimalArgument
  @Option(help: .value("NAME", "Name of the view.")) var view = "main"
  @Option(help: .value("N", "Number of the fix that the view shows (default: the newest).")) var seq: UInt64?

  @Option(help: .value("C", "Cause of the move.")) var cause: ViewCause?
  @OptionGroup var options: ReportOptions

  func validate() throws {
    try ViewName.validate(view)
    _ = try report()
  }

  func run() async throws {
    let view = try report()
    let report = try await options.connection.ask { try await $0.report(view) }
    StandardOutput.line(ReportText(units: options.units).line(report))
  }

  private func report() throws -> ViewRequest {
    ViewRequest(view: view, coordinate: try Place.coordinate(lat, lon), seq: seq, cause: cause)
  }
}

extension ViewCause: ExpressibleByArgument {}
