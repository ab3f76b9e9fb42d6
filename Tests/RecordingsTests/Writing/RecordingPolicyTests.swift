import LocationCore
import Testing

@testable import Recordings

struct RecordingPolicyTests {
  @Test func `A flush is due 3.5 s after the oldest pending write`() {
    var sync = SyncPolicy()
    #expect(sync.deadline == nil)
    #expect(!sync.isDue(at: .milliseconds(1_000_000)))
    sync.wrote(at: .milliseconds(1000))
    sync.wrote(at: .milliseconds(4000))
    #expect(sync.deadline == .milliseconds(4500))
    #expect(!sync.isDue(at: .milliseconds(4499)))
    #expect(sync.isDue(at: .milliseconds(4500)))
    sync.synchronized()
    #expect(!sync.isDirty)
    sync.wrote(at: .milliseconds(7000))
    #expect(sync.deadline == .milliseconds(10_500))
  }

  @Test(
    arguments: [1, 2, 10].flatMap { (rate: Int64) -> [(Int64, Int64)] in
      stride(from: 0, to: 1000, by: 37).map { (rate, $0) }
    })
  func `Nothing waits for the disk for 5 s, whenever in the second it was written`(rate: Int64, phase: Int64) {
    var sync = SyncPolicy()
    var unsaved: [Int64] = []
    var longest: Int64 = 0
    for millisecond in Int64(0)..<60_000 {
      if millisecond % 1000 == 0, sync.isDue(at: .milliseconds(millisecond)) {
        longest = max(longest, unsaved.first.map { millisecond - $0 } ?? 0)
        unsaved = []
        sync.synchronized()
      }
      if (millisecond - phase) % (1000 / rate) == 0 {
        sync.wrote(at: .milliseconds(millisecond))
        unsaved.append(millisecond)
      }
    }
    #expect((3500...4500).contains(longest))
  }

  @Test func `A file ends at 16 MiB or after an hour`() {
    let rotation = RotationPolicy(begun: .milliseconds(5000))
    let limit = 16 * 1024 * 1024
    #expect(!rotation.isDue(size: limit - 100, adding: 100, at: .milliseconds(5000)))
    #expect(rotation.isDue(size: limit - 100, adding: 101, at: .milliseconds(5000)))
    #expect(!rotation.isDue(size: 0, adding: 1, at: .milliseconds(3_604_999)))
    #expect(rotation.isDue(size: 0, adding: 1, at: .milliseconds(3_605_000)))
  }

  private static func ride(_ second: Int, bytes: Int = 10) -> Ride {
    let start = UTCInstant(nanosecondsSince1970: (1_773_923_719 + Int64(second)) * 1_000_000_000)
    return Ride(
      name: RideName(utc: start, boot: "", instant: .zero), parts: [1], bytes: bytes,
      modified: UTCInstant(nanosecondsSince1970: 0))
  }

  @Test func `The oldest rides are removed down to the limit`() {
    let rides = [3, 1, 2, 5, 4].map { Self.ride($0) }
    #expect(RidePolicy(maximumRides: 3).expired(of: rides) { _ in false } == [Self.ride(1), Self.ride(2)])
    #expect(RidePolicy(maximumRides: 5).expired(of: rides) { _ in false } == [])
    #expect(RidePolicy().maximumRides == 100)
  }

  @Test func `A size limit removes as many rides as necessary`() {
    let rides = [1, 2, 3].map { Self.ride($0, bytes: 100) }
    let expired = RidePolicy(maximumBytes: 150).expired(of: rides) { _ in false }
    #expect(expired == [Self.ride(1, bytes: 100), Self.ride(2, bytes: 100)])
  }

  @Test func `The ride in progress is never removed`() {
    let rides = [Self.ride(1, bytes: 1000), Self.ride(2)]
    let expired = RidePolicy(maximumRides: 1, maximumBytes: 5).expired(of: rides) { $0.name == rides[0].name }
    #expect(expired == [rides[1]])
  }

  @Test func `Sizes whose sum is beyond the largest number remove as many rides as necessary`() {
    let rides = (1...12).map { Self.ride($0, bytes: .max) }
    #expect(RidePolicy(maximumRides: 2).expired(of: rides) { _ in false } == Array(rides[..<10]))
    #expect(RidePolicy(maximumBytes: .max).expired(of: rides) { _ in false } == Array(rides[..<11]))
    var ride = Self.ride(1, bytes: 0)
    for part in 2...4 { ride.add(part: part, bytes: .max, modified: ride.modified) }
    #expect(ride.bytes == .max)
    #expect(ride.parts == [1, 2, 3, 4])
  }

  @Test func `A ride named without a clock is as old as its last write`() {
    var unset = Ride(
      name: RideName(utc: nil, boot: "1f0c9a7e-11", instant: .milliseconds(7)), parts: [1], bytes: 1,
      modified: UTCInstant(nanosecondsSince1970: (1_773_923_719 + 2) * 1_000_000_000 + 1))
    let rides = [Self.ride(3), unset, Self.ride(2)]
    #expect(RidePolicy(maximumRides: 1).expired(of: rides) { _ in false } == [Self.ride(2), unset])
    unset.modified = UTCInstant(nanosecondsSince1970: 5)
    #expect(RidePolicy(maximumRides: 2).expired(of: [unset] + rides) { _ in false }.first == unset)
  }
}

extension RidePolicy {
  /// All rides that it removes.
  fileprivate func expired(of rides: [Ride], keeping isKept: (Ride) -> Bool) -> [Ride] {
    var rides = ExpiredRides(of: rides, by: self)
    var expired: [Ride] = []
    while let ride = rides.next(keeping: isKept) { expired.append(ride) }
    return expired
  }
}
