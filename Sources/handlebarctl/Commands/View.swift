import ArgumentParser
import LocationClient

/// `view`: what a renderer says about its view, said by hand.
struct View: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Reports where a view stands, as a renderer does, and shows whether it still follows.",
    discussion: "Example: handlebarctl view 48.1173 11.5167 --cause user")

  @Argument(help: "Latitude of the map point under the position marker's home, degrees.")
  var lat: DecimalArgument

  @Argument(help: "Its longitude, degrees.")
  var lon: DecimalArgument

  @Option(help: ArgumentHelp("Name of the view.", valueName: "NAME"))
  var view = "main"

  @Option(help: ArgumentHelp("Number of the fix that the view was showing.", valueName: "N"))
  var seq: UInt64?

  @Option(help: ArgumentHelp("What moved the view: user, follow, zoom, rotate or resize.", valueName: "C"))
  var cause: String?

  @OptionGroup var connection: ConnectionOptions
  @ParentCommand var parent: Handlebarctl

  func validate() throws {
    try ViewName.validate(view)
    _ = try report()
  }

  func run() async throws {
    let view = try report()
    let report = try await connection.ask(after: parent.connection) { client throws(LocationClientError) in
      var view = view
      // By hand nobody reports about any other fix than the newest.
      if view.seq == nil { view.seq = try await client.status().seq }
      return try await client.report(view)
    }
    StandardOutput.line(ReportText.line(report))
  }

  private func report() throws -> ViewRequest {
    var report = ViewRequest(view: view, position: try Place.coordinate(lat, lon), seq: seq)
    guard let cause else { return report }
    guard let known = ViewCause(rawValue: cause) else {
      throw ValidationError("--cause is one of \(ViewCause.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    report.cause = known
    return report
  }
}

/// A place on the command line.
enum Place {
  static func coordinate(_ latitude: DecimalArgument, _ longitude: DecimalArgument) throws -> Coordinate {
    guard let coordinate = Coordinate(latitude: latitude.value, longitude: longitude.value) else {
      throw ValidationError("LAT is from -90 to 90, LON from -180 to 180 degrees")
    }
    return coordinate
  }
}
