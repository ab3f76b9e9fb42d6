import Testing

@testable import LocationCore

/// A rider with a wheel of 2.1 m, whose receiver states the speed of 0.15 s before.
private struct Rider: ~Copyable {
  private static let circumference = 2.1
  var rig = EngineRig(.reports)
  let fixesPerSecond: Int
  /// Of a fix, hundredths of a second in its period.
  let phase: Int
  /// What was told, and when, seconds.
  var changes: [(change: FixChanges, seconds: Double)] = []
  /// Of every fix that was sent again, and of that fix when it was new.
  var again: [(again: FixChanges, new: FixChanges)] = []
  /// Degrees by which the receiver is off.
  var offset = 0.0
  private var newest: FixChanges = []
  /// When the wheel turned, seconds.
  var turns: [Double] = []
  /// Metres since the last turn, and in all.
  private var way: Double
  private var metres = 0.0
  private var count: UInt64 = 0
  private var speeds: [Double] = []

  init(fixesPerSecond: Int, phase: Int = 0, way: Double = 0) {
    (self.fixesPerSecond, self.phase, self.way) = (fixesPerSecond, phase, way)
    rig.engine.desk.knownWheels = KnownWheels(given: Self.circumference)
    rig.send(.opened)
  }

  var seconds: Double { Double(speeds.count) / 100 }
  var told: [FixChanges] { changes.map(\.change) }

  /// Rides at the speed of each moment for so many seconds.
  mutating func ride(_ seconds: Double, isCounted: Bool = true, speed: (Double) -> Double) throws {
    let begin = self.seconds
    for _ in 0..<Int((seconds * 100).rounded()) {
      rig.wait(.milliseconds(10))
      let speed = speed(self.seconds - begin)
      speeds.append(speed)
      (way, metres) = (way + speed / 100, metres + speed / 100)
      if way >= Self.circumference {
        way -= Self.circumference
        if isCounted { try turn() }
      }
      if speeds.count % (100 / fixesPerSecond) == phase { try fix() }
      collect()
    }
  }

  /// A turn, or another pulse of the same.
  mutating func turn() throws {
    count += 1
    turns.append(seconds)
    let time = Double(Int(seconds * 1024) % 65_536)
    try rig.engine.handle(
      .sensor(SensorRequest(kind: .wheel, count: count, time: time)), from: rig.client, at: rig.now, into: &rig.events)
  }

  private mutating func fix() throws {
    let time = UTCInstant(nanosecondsSince1970: 1_773_923_700_000_000_000 + Int64(speeds.count) * 10_000_000)
    let position = try #require(Coordinate(latitude: 48 + offset, longitude: 11 + 1.34e-5 * metres))
    var fix = Fix(position: position, mode: .threeD, measured: time, received: rig.now)
    (fix.speed, fix.course) = (speeds.dropLast(15).last ?? 0, 90)
    rig.send(.report(.position(GPSDPosition(device: "/dev/gps", time: time, fix: fix))))
  }

  private mutating func collect() {
    for entry in rig.take() {
      switch entry.event {
      case .fix(let fix, _, _): newest = fix.changes
      case .changed(let fix): again.append((fix.changes, newest))
      default: break
      }
      switch entry.event {
      case .fix(let fix, _, _), .changed(let fix):
        let change = fix.changes.intersection([.stopped, .started])
        if !change.isEmpty { changes.append((change, seconds)) }
      default: break
      }
    }
  }
}

@Suite("Stops and starts by a wheel")
struct WheelChangeTests {
  struct Journey: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let speed: Double
    let braking: Double
    let acceleration: Double
  }

  static let journeys = [
    Journey(testDescription: "riding", speed: 8, braking: 2.5, acceleration: 2),
    Journey(testDescription: "walking", speed: 1.3, braking: 1, acceleration: 0.7),
  ]

  @Test(arguments: [1, 10], journeys)
  func `A stop is told when a turn is overdue and the newest fix is slow, a start with the second turn`(
    fixesPerSecond: Int, journey: Journey
  ) throws {
    for number in 0..<8 {
      let phase = number * 37 % (100 / fixesPerSecond)
      var rider = Rider(fixesPerSecond: fixesPerSecond, phase: phase, way: 0.26 * Double(number))
      try rider.ride(20) { _ in journey.speed }
      try rider.ride(journey.speed / journey.braking) { journey.speed - journey.braking * $0 }
      let (stood, last) = (rider.seconds, Array(rider.turns.suffix(2)))
      try rider.ride(12) { _ in 0 }
      let left = rider.seconds
      try rider.ride(10) { min(journey.speed, journey.acceleration * $0) }
      #expect(rider.told == [.stopped, .started], "\(rider.changes)")
      let (stop, start) = (try #require(rider.changes.first), try #require(rider.changes.last))
      let overdue = last[1] + 1.3 * (last[1] - last[0]) + 0.15
      // At 1 Hz the newest fix may still be too fast.
      let latest = max(stood, overdue) + max(0.5, 1.2 / Double(fixesPerSecond))
      #expect((stood - 0.5...latest).contains(stop.seconds), "\(stop), stood at \(stood)")
      let turns = rider.turns.filter { $0 > left }
      #expect((turns[0]...turns[1] + 0.1).contains(start.seconds), "\(start), turns at \(turns.prefix(2))")
    }
  }

  @Test(arguments: [1, 10]) func `A turn by a push, or a contact that shakes, is no start`(fixesPerSecond: Int) throws {
    for pulses in [[0.0], [0, 0.01]] {
      var rider = Rider(fixesPerSecond: fixesPerSecond)
      try rider.ride(20) { _ in 6 }
      try rider.ride(3) { 6 - 2 * $0 }
      try rider.ride(10) { _ in 0 }
      for pause in pulses {
        try rider.ride(pause) { _ in 0 }
        try rider.turn()
      }
      try rider.ride(10) { _ in 0 }
      #expect(rider.told == [.stopped], "\(rider.changes)")
    }
  }

  @Test(arguments: [1, 10]) func `While a wheel sleeps the receiver tells of a start`(fixesPerSecond: Int) throws {
    var rider = Rider(fixesPerSecond: fixesPerSecond)
    try rider.ride(20) { _ in 8 }
    try rider.ride(20, isCounted: false) { _ in 8 }
    #expect(rider.told == [])
    try rider.ride(10) { _ in 8 }
    try rider.ride(4) { 8 - 2 * $0 }
    try rider.ride(10) { _ in 0 }
    #expect(rider.told == [.stopped])
    let left = rider.seconds
    try rider.ride(15, isCounted: false) { min(2.5, $0) }
    #expect(rider.told == [.stopped, .started])
    #expect(rider.changes.last.map { $0.seconds - left < 8 } == true, "\(rider.changes)")
  }

  @Test func `A fix that is sent again keeps its doubt, and nothing else`() throws {
    var again: [(again: FixChanges, new: FixChanges)] = []
    for number in 0..<40 {
      var rider = Rider(fixesPerSecond: 1, phase: 5)
      let left = 20.5 + 0.05 * Double(number)
      func speed(_ seconds: Double) -> Double { seconds < 8 ? 6 : min(6, max(0, 2 * (seconds - left))) }
      // The third fix behind a jump is accepted, with those before it.
      try rider.ride(20) { speed($0) }
      rider.offset = 0.01
      try rider.ride(10) { speed($0 + 20) }
      again += rider.again
    }
    #expect(again.contains { $0.new.contains(.suspect) })
    for fix in again { #expect(fix.again == fix.new.intersection(.suspect).union(.started)) }
  }
}
