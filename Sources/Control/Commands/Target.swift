import ArgumentParser
import LocationClient
import LocationCore

struct Target: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Sets or removes a target, the arrival at which is reported.",
    usage: "handlebarctl target <name> <lat> <lon> [--radius <M>]\n       handlebarctl target <name> off",
    discussion: """
      Example: handlebarctl target home 48.1173 11.5167 --radius 100
               handlebarctl target home off

      A target stays until it is removed. It survives a restart of the daemon if that has a state directory.
      """)

  @Argument(help: "Name of the target.", completion: Completions.target) var name: String
  @Argument(help: "Latitude and longitude in degrees, or off.") var place: [String]
  @Option(help: .value("M", "Radius of the target, metres, 1 to 10000 (default: 100).")) var radius: DecimalArgument?
  @OptionGroup var options: ReportOptions

  func validate() throws {
    try ViewName.validate(name, "the target's name")
    if let radius, !LocationCore.Target.radii.contains(radius.value) {
      throw ValidationError("--radius must be 1 to 10000 metres")
    }
    _ = try coordinate()
  }

  func run() async throws {
    let coordinate = try coordinate()
    let line = try await options.connection.ask { client throws(LocationClientError) in
      guard let coordinate else {
        try await client.removeTarget(name)
        return "target \(name.printable) is off"
      }
      let report = try await client.setTarget(name, at: coordinate, radius: radius?.value)
      return report.map { ReportText(units: options.units).line($0) } ?? "target \(name.printable) is set"
    }
    StandardOutput.line(line)
  }

  /// The place; `nil` for "off".
  private func coordinate() throws -> Coordinate? {
    if place == ["off"] { return nil }
    guard place.count == 2, let latitude = DecimalArgument(argument: place[0]),
      let longitude = DecimalArgument(argument: place[1])
    else { throw ValidationError("a target needs LAT and LON in degrees, or off") }
    return try Place.coordinate(latitude, longitude)
  }
}
