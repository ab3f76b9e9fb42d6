import LocationCore
import Testing

@testable import RideTools

struct RideConditionTests {
  @Test func `A leap second is written as 23:59:60, and is an epoch of its own`() throws {
    let ride = try SimulatedRide.described(
      "tour", [.length: "300", .start: "2026-12-31T23:59:55Z", .leapSecond: "true", .noise: "0"])
    let epochs = ride.epochs
    let texts = epochs.prefix(8).map { String(decoding: $0.bytes.prefix(25), as: UTF8.self) }
    #expect(texts[4].hasPrefix("$GNRMC,235959.00,A,"))
    #expect(texts[5].hasPrefix("$GNRMC,235960.00,A,"))
    #expect(String(decoding: epochs[5].bytes, as: UTF8.self).contains(",311226,"))
    #expect(texts[6].hasPrefix("$GNRMC,000000.00,A,"))
    #expect(epochs.prefix(8).map(\.isLeapSecond) == [false, false, false, false, false, true, false, false])
    #expect(epochs[5].measured == epochs[6].measured)
    var fixes = 0
    var last: UTCInstant?
    ride.received { received in
      guard case .fix(let fix, _) = received.outcome, let measured = fix.measured else { return }
      if let last { #expect(measured >= last) }
      last = measured
      fixes += 1
    }
    #expect(fixes == epochs.count)
  }

  @Test func `At ten epochs a second the leap second costs less than a second of fixes, and time never steps back`()
    throws
  {
    let ride = try SimulatedRide.described(
      "tour",
      [.length: "200", .start: "2026-06-30T23:59:57Z", .leapSecond: "true", .receiver: "ublox-10hz"])
    var (fixes, last) = (0, UTCInstant(nanosecondsSince1970: 0))
    ride.received { received in
      guard case .fix(let fix, _) = received.outcome, let measured = fix.measured else { return }
      #expect(measured >= last)
      last = measured
      fixes += 1
    }
    #expect(fixes >= ride.epochs.count - 9)
  }

  @Test func `After a rollover dates are 1024 weeks old and suspect`() throws {
    let ride = try SimulatedRide.described("tour", [.length: "200", .rollover: "true"])
    let epochs = ride.epochs
    var index = 0
    ride.received { received in
      #expect(received.measured == epochs[index].measured + .seconds(-1024 * 7 * 86_400))
      #expect(received.rolloverSuspect)
      index += 1
    }
    #expect(index == epochs.count)
  }

  @Test func `At midnight the date changes`() throws {
    let ride = try SimulatedRide.described(
      "tour", [.length: "300", .start: "2026-12-31T23:59:50Z", .receiver: "garmin"])
    let epochs = ride.epochs
    var index = 0
    ride.received { received in
      #expect(received.measured == epochs[index].measured)
      index += 1
    }
    #expect(index == epochs.count)
    #expect(epochs.last?.measured.date == CalendarDate(year: 2027, month: 1, day: 1))
  }

  @Test(arguments: ["-17.8,179.99", "64.5,179.999", "0,179.995"])
  func `Rides cross the antimeridian`(
    from: String
  ) throws {
    let ride = try SimulatedRide.described("tour", [.length: "3000", .from: from, .noise: "0", .speed: "30"])
    var last: Coordinate?
    var (east, west) = (0, 0)
    ride.received { received in
      guard case .fix(let fix, let suspect) = received.outcome else {
        Issue.record("no fix")
        return
      }
      #expect(!suspect)
      if let last { #expect(last.distance(to: fix.position) < 31) }
      last = fix.position
      if fix.position.longitude > 0 { east += 1 } else { west += 1 }
    }
    #expect(east > 5 && west > 5)
  }

  @Test func `Without noise the receiver reports the truth`() throws {
    let ride = try SimulatedRide.described("tour", [.length: "2000", .noise: "0", .coldStart: "3"])
    for epoch in ride.epochs {
      guard let reported = epoch.reported, let truth = epoch.position else { continue }
      #expect(reported.distance(to: truth) < 1e-6)
    }
  }

  @Test func `Noise is scaled by its factor`() throws {
    func worst(_ noise: String) throws -> Double {
      try SimulatedRide.described("tour", [.length: "1000", .noise: noise]).epochs.reduce(0) { worst, epoch in
        guard let reported = epoch.reported, let truth = epoch.position else { return worst }
        return max(worst, reported.distance(to: truth))
      }
    }
    let (one, three) = (try worst("1"), try worst("3"))
    #expect(abs(three / one - 3) < 0.01)
  }

  @Test func `The requested share of sentences is damaged, the others are unchanged`() throws {
    var conditions = RideConditions()
    (conditions.corrupted, conditions.truncated) = (0.1, 0.05)
    var damage = LineDamage(conditions, seed: 1)
    let line = Array("$GPGLL,4717.11437,N,00833.91522,E,083559.00,A,A*6F\r\n".utf8)
    var (whole, corrupted, short) = (0, 0, 0)
    for _ in 0..<4000 {
      let passed = damage.transmit(line)
      if passed == line { whole += 1 } else if passed.count == line.count { corrupted += 1 } else { short += 1 }
      if passed.count == line.count {
        #expect(zip(passed, line).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount } <= 1)
      } else {
        #expect(line.starts(with: passed))
      }
    }
    #expect(abs(corrupted - 400) < 80 && abs(short - 200) < 60 && whole + corrupted + short == 4000)
  }
}
