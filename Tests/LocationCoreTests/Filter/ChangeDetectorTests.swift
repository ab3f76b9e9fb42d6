import Testing

@testable import LocationCore

@Suite("Change detector")
struct ChangeDetectorTests {
  /// The changes reported for epochs with the given speeds, `period` seconds apart.
  private func changes(_ speeds: [Double?], period: Double = 1) -> [FixChanges] {
    var detector = ChangeDetector()
    return speeds.enumerated().map { index, speed in
      var fix = Fix(position: here, mode: .threeD, received: at(Double(index) * period))
      fix.speed = speed
      return detector.changes(with: fix, at: fix.received)
    }
  }

  @Test func `A stop is reported once, 2 s after the speed falls below 0.5 m/s`() {
    let found = changes([5, 3, 0.49, 0.2, 0, 0, 0, 0.1, 0, 0])
    #expect(found == [[], [], [], [], .stopped, [], [], [], [], []])
    let tenHertz = changes([5, 5] + Array(repeating: 0.0, count: 600), period: 0.1)
    #expect(tenHertz.filter { $0.contains(.stopped) }.count == 1)
    #expect(tenHertz[22] == .stopped)
  }

  @Test func `A bicycle that is pushed does not alternate by its wheel`() {
    var detector = ChangeDetector()
    let changes = (0..<8).map { second in
      var fix = Fix(position: here, mode: .threeD, received: at(Double(second)))
      var sensed = SensedValues()
      (fix.speed, sensed.fused.wheelSpeed) = (0.8, second % 2 == 0 ? 0.45 : 0.75)
      return detector.changes(with: fix, sensed, at: fix.received)
    }
    #expect(changes == Array(repeating: [], count: 8))
  }

  @Test func `A wheel slower than a stop's speed is no start, whatever the receiver says`() {
    var detector = ChangeDetector()
    let changes = (0..<8).map { second in
      var fix = Fix(position: here, mode: .threeD, received: at(Double(second)))
      var sensed = SensedValues()
      (fix.speed, sensed.fused.wheelSpeed) = (0.75, 0.42)
      return detector.changes(with: fix, sensed, at: fix.received)
    }
    #expect(changes == [[], [], .stopped, [], [], [], [], []])
  }

  @Test func `With a wheel a stop and a start need no time, unless the receiver contradicts`() {
    var detector = ChangeDetector()
    let speeds: [(receiver: Double, wheel: Float)] = [
      (5, 5), (0.6, 0), (0, 0), (0, 3), (1.1, 1.2), (4, 4), (4, 0), (4, 0),
    ]
    let found = speeds.enumerated().map { index, speed in
      var fix = Fix(position: here, mode: .threeD, received: at(Double(index)))
      var sensed = SensedValues()
      (fix.speed, sensed.fused.wheelSpeed) = (speed.receiver, speed.wheel)
      return detector.changes(with: fix, sensed, at: fix.received)
    }
    #expect(found == [[], .stopped, [], [], .started, [], [], []])
  }

  @Test func `Slightly early epochs do not delay a stop or a start by a whole epoch`() {
    #expect(changes([5, 0, 0, 0, 0], period: 0.99) == [[], [], [], .stopped, []])
    #expect(changes([0, 0, 0, 3, 3, 3], period: 0.99) == [[], [], .stopped, [], .started, []])
  }

  @Test func `A speed of 0.5 m/s is not a stop`() {
    #expect(changes(Array(repeating: 0.5, count: 30)).allSatisfy { $0.isEmpty })
  }

  @Test func `A start is reported once, after 1 s at 0.7 m/s`() {
    let found = changes([0, 0, 0, 0.7, 0.7, 3, 5, 5])
    #expect(found == [[], [], .stopped, [], .started, [], [], []])
  }

  @Test func `Neither a spike at rest nor a wobble while slowing down is reported`() {
    #expect(changes([0, 0, 0, 1.5, 0, 0, 2, 0, 0.69, 0.69, 0.69, 0]).dropFirst(3).allSatisfy { $0.isEmpty })
    #expect(changes([5, 0.4, 0.6, 0.4, 0.6, 0.4, 0.6]).allSatisfy { $0.isEmpty })
  }

  @Test(arguments: 1...10)
  func `Stops and starts alternate for any sequence of speeds`(_ seed: Int) {
    var random = SeededNoise(seed: UInt64(seed))
    let speeds = (0..<2_000).map { _ in random.uniform(0...1) < 0.1 ? nil : random.uniform(0...1.2) }
    let found = changes(speeds, period: 0.5).filter { !$0.isEmpty }
    #expect(found.count > 2)
    for (index, change) in found.enumerated() {
      #expect(change == (index % 2 == 0 ? .stopped : .started))
    }
  }

  @Test func `An unknown speed neither continues nor ends a run`() {
    #expect(changes(Array(repeating: nil, count: 20)).allSatisfy { $0.isEmpty })
    #expect(changes([5, 0, nil, 0, nil]) == [[], [], [], .stopped, []])
    #expect(changes([5, 0, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, 0, 0]).allSatisfy { $0.isEmpty })
  }

  @Test func `A mode is reported with its second epoch, and flicker is not reported`() {
    var detector = ChangeDetector()
    func next(_ mode: FixMode) -> FixChanges {
      detector.changes(with: Fix(position: here, mode: mode, received: at(0)), at: at(0))
    }
    #expect(next(.twoD) == [])
    #expect(next(.threeD) == [])
    #expect(next(.threeD) == .mode)
    for _ in 0..<5 {
      #expect(next(.twoD) == [])
      #expect(next(.threeD) == [])
    }
    #expect(next(.twoD) == [])
    #expect(next(.twoD) == .mode)
    #expect(next(.twoD) == [])
  }

  @Test func `A change of source and a regained fix are reported once, with the next fix`() {
    var detector = ChangeDetector()
    let fix = Fix(position: here, mode: .threeD, received: at(0))
    detector.lost()
    detector.sourceChanged()
    #expect(detector.changes(with: fix, at: at(0)) == [], "nothing precedes the first fix")
    detector.lost()
    detector.lost()
    #expect(detector.changes(with: fix, at: at(9)) == .regained)
    #expect(detector.changes(with: fix, at: at(10)) == [])
    detector.sourceChanged()
    detector.lost()
    #expect(detector.changes(with: fix, at: at(20)) == [.source, .regained])
    #expect(detector.changes(with: fix, at: at(21)) == [])
  }

  @Test func `A loss at rest does not repeat the stop, and a later start is reported`() {
    var detector = ChangeDetector()
    func next(_ speed: Double, _ second: Double) -> FixChanges {
      var fix = Fix(position: here, mode: .threeD, received: at(second))
      fix.speed = speed
      return detector.changes(with: fix, at: fix.received)
    }
    _ = next(0, 0)
    _ = next(0, 1)
    #expect(next(0, 2) == .stopped)
    detector.lost()
    #expect(next(0, 30) == .regained)
    #expect((31..<40).allSatisfy { next(0, Double($0)) == [] })
    #expect(next(4, 40) == [])
    #expect(next(4, 41) == .started)
  }

  @Test func `A stop is delivered once by a filter that would suppress it`() {
    var ride = RideFixture(detector: ChangeDetector())
    var filter = DistanceFilter(.standard)
    var reasons: [DeliveryReason] = []
    for second in 0..<100 {
      let rolling = second < 20
      let fix = ride.fix(
        here.moved(rolling ? 4 * Double(second) : 76), at: at(Double(second)), speed: rolling ? 4 : 0, accuracy: 5)
      if let reason = filter.evaluate(fix, at: at(Double(second))) { reasons.append(reason) }
    }
    #expect(reasons.last == .stopped)
    #expect(reasons.filter { $0 == .stopped }.count == 1)
    #expect(reasons.filter { $0 == .moved }.count == 6)
  }
}
