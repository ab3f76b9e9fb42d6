import LocationCore
import Testing

@testable import Forwarding

struct ForwardStateTests {
  @Test func `Numbers in any order become as few ranges as possible`() {
    var numbers = FixNumbers()
    for range in [5...5, 7...9, 6...6, 1...2, 20...30, 3...4, 25...40, 8...21] as [ClosedRange<UInt64>] {
      numbers.insert(range)
      #expect(numbers.contains(range.lowerBound) && numbers.contains(range.upperBound))
    }
    #expect(numbers.ranges == [1...40])
    numbers.insert(42...42)
    #expect(!numbers.contains(41) && !numbers.contains(0) && !numbers.contains(43))
    #expect(numbers.ranges == [1...40, 42...42])
    numbers.insert(.max ... .max)
    numbers.insert(0...0)
    #expect(numbers.ranges.count == 3)
  }

  @Test func `Random insertions give the same set as a list of numbers`() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var (numbers, all) = (FixNumbers(), Set<UInt64>())
      for _ in 0..<30 {
        let low = UInt64.random(in: 1...60, using: &generator)
        let range = low...(low + UInt64.random(in: 0...5, using: &generator))
        numbers.insert(range)
        all.formUnion(range)
      }
      #expect((0...70).allSatisfy { numbers.contains($0) == all.contains($0) })
      #expect(zip(numbers.ranges, numbers.ranges.dropFirst()).allSatisfy { $0.upperBound + 1 < $1.lowerBound })
    }
  }

  private static var state: ForwardState {
    var state = ForwardState(rideDirectory: "/var/lib/handlebar/my rides=1")
    state.lastAcknowledgement = UTCInstant(nanosecondsSince1970: 1_773_923_719_000_000_000)
    (state.lostRides, state.lastLostRide) = (2, "20260318T080000Z")
    state.rides["20260319T123519Z", default: .init()].completeBytes = 4096
    state.rides["20260319T123519Z"]?.acknowledged.insert(1...1_000_300)
    state.rides["20260320T070000Z", default: .init()].acknowledged.insert(1...12)
    state.rides["20260320T070000Z"]?.acknowledged.insert(40...41)
    state.rides["20260321T070000Z"] = .init()
    return state
  }

  @Test func `Numbers of a file at the end of their range never trap`() throws {
    let text = """
      # handlebar-forward 1
      rides=/nowhere
      acknowledged=-9223372036854775808
      lost=9223372036854775807 20260318T080000Z
      ride=20260319T123519Z 9223372036854775807 0-18446744073709551615
      ride=20260320T123519Z - 1-1 18446744073709551615-18446744073709551615

      """
    let rides = TestRides()
    try rides.start()
    try rides.ride(3)
    try rides.stop()
    let state = try #require(ForwardState(bytes: Array(text.utf8)))
    let sender = try TestSender(rides, state: state)
    // Both rides of the file have been removed, one of them too early.
    #expect(try sender.take().count == 3)
    #expect(sender.queue.state.lostRides == .max && sender.queue.state.lastLostRide == "20260320T123519Z")
    #expect(sender.restored.lostRides == .max)
  }

  @Test func `The file gives the state back`() {
    #expect(ForwardState(bytes: Self.state.bytes) == Self.state)
  }

  @Test func `A damaged file is no state, and never a trap`() {
    let bytes = Self.state.bytes
    for count in 0..<bytes.count where bytes.prefix(count).last != UInt8(ascii: "\n") {
      #expect(ForwardState(bytes: Array(bytes.prefix(count))) == nil)
    }
    for place in bytes.indices {
      var changed = bytes
      changed[place] ^= 0x55
      _ = ForwardState(bytes: changed)
    }
    for line in ["ride=x 5 9-1", "ride=x", "ride=x -1-", "lost=-1 x", "acknowledged=later", "unknown=1", "text"] {
      #expect(ForwardState(bytes: Array("\(ForwardState.version)\nrides=/r\n\(line)\n".utf8)) == nil)
    }
  }
}
