import GPSDProtocol
import LocationCore
import Testing

@testable import RideTools

struct SimulationOptionsTests {
  @Test func `Options determine the ride`() throws {
    let ride = try SimulatedRide.described(
      "tour",
      [
        .seed: "9", .receiver: "sirf", .start: "2026-06-01T06:00:00Z", .from: "-33.9,151.2", .length: "2500",
        .speed: "12", .acceleration: "1", .braking: "1.5", .coldStart: "30", .noise: "0.5", .corrupt: "0.01",
        .truncate: "0.02", .rollover: "true", .tunnel: "100-200,300-400.5", .canyon: "500-600",
      ])
    #expect(ride.seed == 9)
    #expect(ride.receiver.lineSpeed == 4800)
    #expect(ride.receiver.coldStart == 30)
    #expect(ride.start == UTCInstant(iso8601: "2026-06-01T06:00:00Z".utf8))
    #expect((ride.acceleration, ride.braking) == (1, 1.5))
    #expect((ride.conditions.noise, ride.conditions.corrupted, ride.conditions.truncated) == (0.5, 0.01, 0.02))
    #expect(ride.conditions.hasRolledOver && !ride.conditions.hasLeapSecond)
    #expect(ride.route.points[0].latitude == -33.9 && ride.route.points[0].longitude == 151.2)
    #expect(abs(ride.route.length - 2500) < 1)
    #expect(ride.truth.topSpeed <= 12)
    for point in ride.route.points {
      if (101...199).contains(point.station) || (301...400).contains(point.station) {
        #expect(point.surroundings == .tunnel)
      }
      if (501...599).contains(point.station) { #expect(point.surroundings == .canyon) }
    }
    var motion = ride.motion
    var last = motion.state(at: 0).speed
    for step in 1...Int(motion.duration) * 4 {
      let speed = motion.state(at: Double(step) / 4).speed
      #expect(speed - last < 0.26 && last - speed < 0.4)
      last = speed
    }
  }

  @Test func `Less sideways acceleration makes bends slower`() throws {
    func time(_ lateral: String) throws -> Double {
      try SimulatedRide.described("tour", [.length: "6000", .seed: "4", .lateral: lateral]).truth.duration
    }
    #expect(try time("1") > time("6") + 10)
  }

  @Test func `Lights make stops`() throws {
    let dark = try SimulatedRide.described("tour", [.length: "4000"]).truth.stops.count
    let lit = try SimulatedRide.described("tour", [.length: "4000", .lights: "150"]).truth.stops
    #expect(lit.count > dark + 8)
    #expect(lit.dropFirst().dropLast().allSatisfy { $0.end - $0.begin >= 5 && $0.end - $0.begin <= 40 })
  }

  static let bad: [(SimulationKey, String, [String])] = [
    (.seed, "-1", ["seed=-1", "whole number"]), (.seed, "1.5", ["whole number"]),
    (.receiver, "magellan", ["receiver=magellan", "ublox-1hz", "garmin"]),
    (.start, "yesterday", ["start=yesterday", "2026-12-31T23:59:00Z"]),
    (.start, "2026-02-30T00:00:00Z", ["is not a time"]), (.start, "2026-05-01T00:00:00.5Z", ["whole second"]),
    (.start, "1970-05-01T00:00:00Z", ["1981 to 2099"]), (.from, "89,0", ["85° north"]), (.from, "47", ["LATITUDE"]),
    (.from, "47,181", ["is not a position"]), (.length, "99", ["100 to 2000000 metres"]),
    (.length, "1e9", ["out of range"]),
    (.speed, "0.5", ["1 to 100 m/s"]), (.speed, "nan", ["not a number"]), (.speed, "0x10", ["not a number"]),
    (.speed, "", ["not a number"]), (.lateral, "0", ["0.5 to 15"]), (.acceleration, "inf", ["not a number"]),
    (.braking, "16", ["0.2 to 15"]), (.lights, "1", ["50 to 100000"]), (.tunnel, "200", ["FROM-TO"]),
    (.tunnel, "300-200", ["is not a list of stretches"]), (.canyon, "1-2,", ["is not a list of stretches"]),
    (.coldStart, "-1", ["0 to 3600"]),
    (.noise, "21", ["0 to 20"]), (.corrupt, "1.1", ["0 to 1"]), (.truncate, "-0.1", ["0 to 1"]),
  ]

  @Test(arguments: bad)
  func `Invalid values are refused with the valid ones`(
    key: SimulationKey, text: String, words: [String]
  ) throws {
    var options = try SimulationOptions(named: "tour")
    let error = #expect(throws: SimulationError.self) { try options.set(key, to: text) }
    for word in words { #expect(error?.description.contains(word) == true, "\(error?.description ?? "")") }
    #expect(error?.description.contains("\n") == false)
  }

  @Test func `Damage to more than all sentences is refused`() throws {
    var options = try SimulationOptions(named: "tour")
    try options.set(.corrupt, to: "0.6")
    #expect(throws: SimulationError.self) { try options.set(.truncate, to: "0.5") }
  }

  @Test(arguments: [SimulationKey.speed, .lateral, .from, .length])
  func `Options of roads are refused for bundled rides`(
    key: SimulationKey
  ) throws {
    var city = try SimulationOptions(named: "city")
    let error = #expect(throws: SimulationError.self) { try city.set(key, to: "1000") }
    #expect(error?.description.contains("does not go with the ride city") == true)
  }

  @Test func `A start is refused for a file`() throws {
    var options = SimulationOptions(.file("a.gpx"))
    let error = #expect(throws: SimulationError.self) { try options.set(.from, to: "1,1") }
    #expect(error?.description.contains("does not go with a route") == true)
  }

  @Test func `An unknown name is refused with the known ones`() throws {
    let error = #expect(throws: SimulationError.self) { try SimulationOptions(named: "moon") }
    #expect(error?.description.contains("city, motorway, mountain, tunnel, tour") == true)
  }

  @Test func `The header names the command that makes the same recording`() throws {
    let options = try SimulationOptions.described(
      "tour", [.seed: "3", .length: "500", .leapSecond: "true", .corrupt: "0.1"])
    #expect(options.command == "handlebarctl simulate --ride tour --seed 3 --length 500 --corrupt 0.1 --leap-second")
    #expect(try options.ride().header["command"] == options.command)
    #expect(try options.ride().recording == options.ride().recording)
    #expect(SimulationOptions(.file("my tour.gpx")).command == "handlebarctl simulate --route 'my tour.gpx'")
    let city = try SimulationOptions(named: "city")
    #expect(city.command == "handlebarctl simulate --ride city --seed 7")
    #expect(try city.ride().recording == BundledRide.city.ride(seed: 7)?.recording)
  }
}
