import GPSDProtocol
import LocationCore
import Testing

@testable import LocationDaemon

@Suite("A way ridden before")
struct RiddenWayTests {
  /// A recorded ride at 20 m/s, 200 m to the north and then 800 m to the east.
  private static var ride: String {
    let epochs = (0..<50).map { number in
      let (north, east) = (20 * Double(min(number, 10)), 20 * Double(max(number - 10, 0)))
      let place = "48\(minutes(north / 1853.2)),N,011\(minutes(30 + east / 1243)),E"
      let time = "1000\(number / 10)\(number % 10).00"
      let sentence = NMEAEpoch.sentence("GNRMC,\(time),A,\(place),38.877,\(number < 10 ? 0 : 90).0,180326,,,A,V")
      return "# t=\(5000 + 1000 * number) src=0\n" + sentence
    }
    return "# handlebar-recording 1\n" + epochs.joined()
  }

  private static func minutes(_ value: Double) -> String {
    let parts = String(Int((value * 1e6).rounded()) + 100_000_000).dropFirst()
    return "\(parts.prefix(2)).\(parts.dropFirst(2))"
  }

  /// The estimates after a loss 180 m to the north.
  private static func estimates(recordedIn directory: ScratchDirectory?) throws -> [TPV] {
    let daemon = try VirtualDaemon()
    let finder = RiddenWayFinder(for: daemon.engineLoop) { directory?.path }
    daemon.engineLoop.observers.append(finder)
    daemon.engineLoop.engine.desk.knownWheels = KnownWheels(given: 2)
    daemon.open()
    let client = try daemon.watch(#","estimated":true"#)
    func turn(_ second: Int) throws {
      try client.send(#"?SENSOR={"sensor":"wheel","count":\#(10 * second),"time":\#(1024 * second % 65536)};"#)
    }
    for number in 0...9 {
      daemon.begin(number)
      try turn(number)
      daemon.ride(number...number)
    }
    var found: [TPV] = []
    for number in 10...15 {
      daemon.begin(number)
      finder.thread.sync {}
      try turn(number)
      found += try client.take().fixes.filter { $0.reason == "estimated" }
    }
    return found
  }

  @Test func `An estimate goes on along a recorded ride, round its corner`() throws {
    let directory = try ScratchDirectory()
    try directory.write(Self.ride, to: "20260318T100000Z.nmea")
    let found = try Self.estimates(recordedIn: directory)
    let last = try #require(found.last)
    #expect(found.count >= 2)
    // 180 m and 5 or 6 s of 20 m.
    #expect(abs((last.lat ?? 0) - 48.0018) < 0.0001 && 11.5008...11.5015 ~= last.lon ?? 0, "\(last)")
    #expect(last.eph ?? 100 < 30)
  }

  @Test func `Without one it goes straight on`() throws {
    for directory in [nil, try ScratchDirectory()] {
      let found = try Self.estimates(recordedIn: directory)
      #expect(found.count >= 2)
      #expect(found.allSatisfy { abs(($0.lon ?? 0) - 11.5) < 1e-6 })
    }
  }
}
