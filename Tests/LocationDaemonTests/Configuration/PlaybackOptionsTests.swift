import LocationCore
import RideTools
import Testing

@testable import LocationDaemon

@Suite("Simulated sources")
struct SimulatedSourceOptionsTests {
  private static func options(_ text: String) throws -> SimulatedSourceOptions {
    guard let options = try SourceURI(text).kind as? SimulatedSourceOptions else {
      throw ConfigurationError(key: text, message: "read as another source")
    }
    return options
  }

  @Test(
    arguments: [
      ("simulate:", SimulationOptions.Road.tour, "simulate:tour"), ("simulate:tour", .tour, "simulate:tour"),
      ("simulate:city", .bundled(.city), "simulate:city"), ("simulate:a/city.gpx", .file("a/city.gpx"), "a/city.gpx"),
      ("simulate:./city", .file("./city"), "./city"),
      ("simulate:a%20b.geojson?speed=12", .file("a b.geojson"), "a b.geojson"),
    ]
  )
  func `A known name is a ride, anything else a file`(text: String, road: SimulationOptions.Road, device: String) throws
  {
    #expect(try Self.options(text).ride.road == road)
    #expect(try SourceURI(text).device == device)
    #expect(try SourceURI(text).scheme == "simulate")
  }

  @Test func `Every parameter of the simulate command is one of the source`() throws {
    let values: [SimulationKey: String] = [
      .seed: "4", .receiver: "sirf", .start: "2026-12-31T23:59:00Z", .from: "-33,151", .length: "900", .speed: "12",
      .lateral: "2", .acceleration: "1", .braking: "1.5", .lights: "200", .canyon: "10-20", .tunnel: "30-40,50-60",
      .coldStart: "20", .noise: "0.5", .corrupt: "0.1", .truncate: "0.2", .leapSecond: "true", .rollover: "true",
      .wheel: "2.1", .wheelDoubled: "0.1", .wheelAsleep: "60-70", .weather: "-2", .warmth: "5",
    ]
    var expected = SimulationOptions(.tour)
    var query = ""
    // Departures are those from a planned route.
    for key in SimulationKey.allCases where key != .depart {
      let value = try #require(values[key])
      try expected.set(key, to: value)
      query += "&\(key.rawValue)=\(value)"
    }
    let options = try Self.options("simulate:tour?" + query.dropFirst())
    #expect(options == SimulatedSourceOptions(ride: expected))
    var route = SimulationOptions(.file("a.gpx"))
    try route.set(.depart, to: "stop:400:60")
    #expect(try Self.options("simulate:a.gpx?depart=stop:400:60").ride == route)
    #expect(try Self.options("simulate:tour?rate=25&loop").rate == 25)
    #expect(try Self.options("simulate:tour?loop=true").loops)
    #expect(try !Self.options("simulate:tour?leap-second=false").ride.hasLeapSecond)
  }

  @Test(
    arguments: [
      ("simulate:tour?speed=500", "1 to 100 m/s"), ("simulate:city?speed=12", "does not go with the ride city"),
      ("simulate:a.gpx?length=500", "does not go with a route"), ("simulate:tour?rate=0", "0.1 to 1000"),
      ("simulate:tour?rate=max", "0.1 to 1000"), ("simulate:tour?wind=3", "unknown parameter \"wind\""),
      ("simulate:tour?receiver=x", "garmin"), ("simulate:tour?leap-second=maybe", "neither true nor false"),
    ]
  )
  func `An invalid parameter is rejected with a remedy`(text: String, words: String) throws {
    let error = #expect(throws: ConfigurationError.self) { try SourceURI(text) }
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    #expect(error?.key == text)
  }

  @Test func `A simulation at another rate must be the only source`() throws {
    var configuration = DaemonConfiguration()
    configuration.sources = [try SourceURI("simulate:tour?rate=10"), try SourceURI("serial:/dev/gps0")]
    #expect(throws: ConfigurationError.self) { try configuration.validate() }
    configuration.sources[0] = try SourceURI("simulate:tour")
    try configuration.validate()
  }
}
