import Testing

@testable import LocationCore

@Suite("Trips")
struct TripTableTests {
  private static let rider = ClientPeer.process(1, user: 1000)
  private static let stranger = ClientPeer.process(2, user: 1001)

  private var trips = TripTable()
  private var ride = RideFixture()

  @discardableResult
  private mutating func apply(
    _ change: TripChange, to name: String = "day", from peer: ClientPeer = rider
  ) throws(RequestRefusal) -> (status: TripStatus, isChanged: Bool) {
    try trips.apply(change, to: name, from: peer)
  }

  /// Rides east so many seconds from a second on; returns what is reported.
  @discardableResult
  private mutating func ride(
    _ seconds: Int, from start: Int, speed: Double = 10, east: Double = 0
  ) -> [(status: TripStatus, isTransition: Bool)] {
    var reports: [(status: TripStatus, isTransition: Bool)] = []
    for second in start..<(start + seconds) {
      let place = here.moved(east + speed * Double(second - start))
      reports += trips.published(ride.fix(place, at: at(Double(second)), speed: speed))
    }
    return reports
  }

  @Test mutating func `A trip has the figures of its fixes, which each request for it shows`() throws {
    #expect(try apply(.start).isChanged)
    ride(11, from: 0)
    let (status, isChanged) = try apply(.start)
    #expect(!isChanged && status.state == .moving && status.lap == 1)
    #expect(status.figures.distance == 100 && status.figures.movingTime == 10 && status.figures.duration == 10)
  }

  @Test mutating func `It is reported when its state changes, and once a second in motion`() throws {
    try apply(.start)
    let moving = ride(5, from: 0)
    #expect(moving.map(\.status.state) == Array(repeating: .moving, count: 5))
    #expect(moving.map(\.isTransition) == [true, false, false, false, false])
    let standing = ride(10, from: 5, speed: 0, east: 40)
    #expect(standing.last?.status.state == .paused && standing.last?.isTransition == true)
    #expect(standing.count { $0.status.state == .paused } == 1)
    #expect(trips.lost().map(\.status.state) == [.lost])
    #expect(trips.lost().isEmpty)
  }

  @Test mutating func `At 10 Hz one fix in ten is reported`() throws {
    try apply(.start)
    var count = 0
    for index in 0...100 {
      let seconds = Double(index) / 10
      count += trips.published(ride.fix(here.moved(seconds * 10), at: at(seconds), speed: 10)).count
    }
    #expect(count == 11)
  }

  @Test mutating func `A lap counts from its beginning, and a reset from 0`() throws {
    try apply(.start)
    ride(11, from: 0)
    try apply(.lap)
    ride(5, from: 11, east: 110)
    let second = try apply(.start).status
    #expect(second.lap == 2 && abs(second.lapDistance - 50) < 1e-9 && second.lapMovingTime == 5)
    #expect(abs(second.figures.distance - 150) < 1e-9)
    let reset = try apply(.reset).status
    #expect(reset.lap == 1 && reset.figures.distance == 0 && reset.figures.fixes == 0)
  }

  @Test mutating func `Only the user who started a trip, and root, can change it`() throws {
    try apply(.start)
    for change in [TripChange.lap, .reset, .end] {
      #expect(throws: RequestRefusal.ofAnotherUser(.trip, name: "day")) { try apply(change, from: Self.stranger) }
    }
    #expect(try !apply(.start, from: Self.stranger).isChanged)
    try apply(.lap, from: .process(3, user: 1000))
    try apply(.lap, from: .process(4, user: 0))
    #expect(try apply(.lap, from: .replay).status.lap == 4)
    #expect(try apply(.end).status.state == .ended)
    #expect(throws: RequestRefusal.missing(.trip, name: "day")) { try apply(.lap) }
  }

  @Test mutating func `A user has 8 trips, there are 16, and none makes room for another`() throws {
    for number in 0..<8 { try apply(.start, to: "\(number)") }
    #expect(throws: RequestRefusal.full(.tripsOfUser)) { try apply(.start, to: "8") }
    for number in 8..<16 { try apply(.start, to: "\(number)", from: Self.stranger) }
    #expect(throws: RequestRefusal.full(.trips)) { try apply(.start, to: "16", from: .process(5, user: 7)) }
    #expect(trips.statuses.map(\.name) == (0..<16).map { "\($0)" })
    try apply(.end, to: "3")
    #expect(try apply(.start, to: "another").isChanged)
  }

  @Test mutating func `Heart rate and power are averaged while moving, cadence while pedalling`() throws {
    try apply(.start)
    for second in 0..<30 {
      var fix = ride.fix(here.moved(10 * Double(min(second, 20))), at: at(Double(second)), speed: second < 20 ? 10 : 0)
      fix.sensed.rider.heartRate = second < 10 ? 100 : 140
      fix.sensed.rider.cadence = second < 10 ? 90 : 0
      fix.sensed.rider.power = second < 10 ? 200 : 0
      _ = trips.published(fix)
    }
    let sensors = try apply(.start).status.figures.sensors
    // The stop is one after 2 s.
    #expect(abs((sensors.heartRate?.average ?? 0) - 123) < 2 && sensors.heartRate?.maximum == 140)
    #expect(sensors.cadence?.average == 90 && sensors.cadence?.maximum == 90)
    #expect(abs((sensors.power?.average ?? 0) - 85) < 10 && sensors.power?.maximum == 200)
    #expect(sensors.temperature == nil)
  }

  @Test(arguments: [true, false])
  mutating func `Without dates a trip goes on after a restart, by arrival times on another clock`(isRead: Bool) throws {
    try apply(.start)
    ride(11, from: 0)
    if isRead { trips = try #require(Self.read(trips.lines.map { $0[...] }).table) } else { trips.interrupt() }
    ride(11, from: 5000, east: 100)
    let figures = try apply(.start).status.figures
    #expect(abs(figures.distance - 200) < 1e-9 && abs(figures.movingTime - 20) < 1e-9)
    #expect(figures.duration == 20 && figures.gaps == 0)
  }

  @Test mutating func `A gap has no heart rate`() throws {
    try apply(.start)
    for (second, rate) in [(0.0, 100), (1, 100), (2, 100), (60, 200)] {
      var fix = ride.fix(here.moved(10 * second), at: at(second), speed: 10)
      fix.sensed.rider.heartRate = rate
      _ = trips.published(fix)
    }
    #expect(try apply(.start).status.figures.sensors.heartRate?.average == 100)
  }

  @Test mutating func `A trip without sensors is written as by earlier releases`() throws {
    try apply(.start)
    ride(20, from: 0)
    let words = trips.lines[1].split(separator: " ").count
    var fix = ride.fix(here, at: at(20), speed: 10)
    fix.sensed.rider.power = 250
    _ = trips.published(fix)
    let lines = trips.lines
    #expect(lines[1].split(separator: " ").count > words)
    #expect(Self.read(lines.map { $0[...] }).table?.lines == lines)
  }

  @Test(arguments: ["day", "Über den Paß 🚲", "a b\nc", "-"])
  mutating func `The state in text is the whole state`(name: String) throws {
    try apply(.start, to: name)
    try apply(.start, to: "other", from: .connection(ClientID(9)))
    var second = 0.0
    for step in 0..<200 {
      // Starts, stops, gaps, jumps, and speeds of every length.
      let speed = [0, 7.123_456_789, 0.6, 0.1 + Double(step) / 3][step / 10 % 4]
      second += step % 37 == 0 ? 30 : step % 41 == 0 ? 8 : 1
      var fix = ride.fix(here.moved(Double(step) * 3.3), at: at(second), speed: speed).fix
      fix.measured = UTCInstant(nanosecondsSince1970: Int64(second * 1e9))
      fix.altitudeMSL = 500 + Double(step % 60) / 0.7
      var sensed = SensedValues()
      if step > 100 { sensed.rider.heartRate = 90 + step % 70 }
      if step == 50 { try apply(.lap, to: name) }
      let lines = trips.lines.map { $0[...] }
      var copy = try #require(Self.read(lines).table)
      #expect(copy.lines == trips.lines)
      trips.add(fix, sensed, isSuspect: step % 53 == 0)
      copy.add(fix, sensed, isSuspect: step % 53 == 0)
      #expect(copy.ends(with: fix))
      #expect(copy.statuses == trips.statuses)
    }
    #expect(throws: RequestRefusal.ofAnotherUser(.trip, name: name)) { try apply(.lap, to: name, from: Self.stranger) }
  }

  @Test mutating func `A damaged line costs what it holds`() throws {
    try apply(.start)
    try apply(.start, to: "other")
    ride(20, from: 0)
    let lines = trips.lines
    #expect(Self.read([]).table == nil)
    for number in lines.indices {
      let words = lines[number].split(separator: " ")
      for index in words.indices {
        var fewer = words
        fewer.remove(at: index)
        var other = words
        other[index] = "nan"
        for damaged in [fewer, other] {
          var damage = lines.map { $0[...] }
          damage[number] = damaged.joined(separator: " ")[...]
          let read = Self.read(damage)
          var rest = lines
          if number > 0 { rest.remove(at: number) }
          #expect(read.refused == 1)
          #expect(read.table?.lines.dropFirst() == rest.dropFirst())
        }
      }
    }
    #expect(Self.read(lines.map { $0[...] } + [lines[1][...]]).refused == 1)
  }

  private static func read(_ lines: [Substring]) -> (table: TripTable?, refused: Int) {
    var refused = 0
    return (TripTable(lines: lines, splitStop: 1200, refused: &refused), refused)
  }
}
