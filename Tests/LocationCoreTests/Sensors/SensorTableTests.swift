import Testing

@testable import LocationCore

@Suite("Sensors")
struct SensorTableTests {
  private static let rider = ClientPeer.process(1, user: 1000)
  private let first = ClientID(1)
  private let second = ClientID(2)
  private var sensors = SensorTable()

  private mutating func take(
    _ request: SensorRequest, from client: ClientID = ClientID(1), of peer: ClientPeer = rider, at seconds: Double
  ) throws(RequestRefusal) -> SensorStatus? {
    try sensors.take(request, from: client, of: peer, at: at(seconds))?.status
  }

  private static func wheel(_ count: UInt64, _ time: Double? = nil, of kind: SensorKind = .wheel) -> SensorRequest {
    SensorRequest(kind: kind, count: count, time: time)
  }

  private static func heart(_ value: Double, source: String? = nil) -> SensorRequest {
    SensorRequest(kind: .heartRate, value: value, source: source)
  }

  @Test mutating func `Counts and times that wrap go on`() throws {
    // Two revolutions a second, with a count that wraps once and a time that wraps after 64 s.
    var status: SensorStatus?
    for second in 0..<200 {
      let count = UInt64(4_294_967_200 + 2 * second) % (1 << 32)
      status = try take(Self.wheel(count, Double(1024 * second % 65_536)), at: Double(second))
      #expect(status?.isImplausible == false)
    }
    #expect(status?.revolutions == 398 && status?.eventTime == 199 && status?.value == 120)
  }

  @Test mutating func `A crank of ANT+ wraps at 65536, and another clock where it says`() throws {
    _ = try take(Self.wheel(65_530, 65_000, of: .crank), at: 0)
    #expect(try take(Self.wheel(2, 4_584, of: .crank), at: 5)?.value == 96)
    var request = Self.wheel(5, 100)
    (request.wrap, request.ticksPerSecond, request.timeWrap) = (10, 100, 1000)
    _ = try take(request, at: 0)
    (request.count, request.time) = (3, 0)
    let status = try take(request, at: 9)
    #expect(status?.revolutions == 8 && status?.eventTime == 9)
    // Plain seconds, which do not wrap.
    request = SensorRequest(kind: .crank, count: 10, time: 1_790_000_000.5, source: "script")
    request.ticksPerSecond = 1
    _ = try take(request, at: 10)
    (request.count, request.time) = (13, 1_790_000_002.5)
    #expect(try take(request, at: 12)?.value == 90)
  }

  @Test mutating func `A wheel that slept longer than its time wraps is the same wheel`() throws {
    _ = try take(Self.wheel(100, 0), at: 0)
    _ = try take(Self.wheel(102, 1024), at: 1)
    let status = try take(Self.wheel(104, 36 * 1024), at: 101)
    #expect(status?.isImplausible == false && status?.revolutions == 4 && status?.eventTime == 100)
  }

  @Test(
    arguments: [
      // Back, a jump, the same time, and a time that is ahead of ours.
      (8, 3072.0), (1_000_000, 3072), (14, 2048), (14, 2048 + 30 * 1024),
    ] as [(UInt64, Double)])
  mutating func `What cannot follow is implausible once, and adds nothing`(count: UInt64, time: Double) throws {
    _ = try take(Self.wheel(10, 1024), at: 1)
    #expect(try take(Self.wheel(12, 2048), at: 2)?.value == 120)
    let wrong = try take(Self.wheel(count, time), at: 3)
    #expect(wrong?.isImplausible == true && wrong?.revolutions == 2 && wrong?.value == nil)
    let next = try take(Self.wheel(count + 2, time + 1024), at: 4)
    #expect(next?.isImplausible == false && next?.revolutions == 4 && next?.value == 120)
  }

  @Test mutating func `The revolution of the first reading may be long ago`() throws {
    _ = try take(Self.wheel(100, 0), at: 0)
    let status = try take(Self.wheel(101, 23 * 1024), at: 3)
    #expect(status?.isImplausible == false && status?.revolutions == 1)
  }

  @Test mutating func `A crank that sends no more stands`() throws {
    _ = try take(Self.wheel(0, 0, of: .crank), at: 0)
    _ = try take(Self.wheel(1, 1024, of: .crank), at: 1)
    #expect(sensors.values(at: at(2)).cadence == 60)
    #expect(sensors.values(at: at(4)).cadence == 0)
  }

  @Test mutating func `Without a time, a count is that of its arrival`() throws {
    _ = try take(Self.wheel(10), at: 1)
    #expect(try take(Self.wheel(13), at: 2)?.value == 180)
    // The same count does not move, and so the cadence ends.
    #expect(try take(Self.wheel(13), at: 3)?.value == 180)
    #expect(try take(Self.wheel(13), at: 5)?.value == 0)
  }

  @Test(arguments: [
    (SensorKind.heartRate, 0.0), (.heartRate, 251), (.power, -1), (.pressure, 1013), (.temperature, 900),
  ])
  mutating func `A value out of range is implausible, and no fix has it`(kind: SensorKind, value: Double) throws {
    #expect(try take(SensorRequest(kind: kind, value: value), at: 0)?.isImplausible == true)
    #expect(sensors.values(at: at(0)).isEmpty)
    #expect(try take(SensorRequest(kind: kind, value: .nan), at: 1)?.isImplausible == true)
  }

  @Test mutating func `A client sends 20 readings a second, and hears once a second that more are refused`() throws {
    _ = try take(Self.heart(70, source: "other"), from: second, at: 0)
    for number in 0..<20 { #expect(try take(Self.heart(60), at: 0.01 * Double(number)) != nil) }
    #expect(throws: RequestRefusal.full(.readingsOfConnection)) { try take(Self.heart(61), at: 0.5) }
    for _ in 0..<1000 { #expect(try take(Self.heart(61), at: 0.6) == nil) }
    let status = sensors.statuses[1]
    #expect(status.value == 60 && status.refused == 1001)
    #expect(try take(Self.heart(62), at: 1)?.value == 62)
    // Others suffer nothing, and the readings of a recording were accepted before.
    #expect(try take(Self.heart(71, source: "other"), from: second, at: 0.7)?.value == 71)
    for _ in 0..<50 { #expect(try take(Self.heart(80, source: "ride"), from: ClientID(0), of: .replay, at: 1) != nil) }
  }

  @Test mutating func `A sensor is its client's until that is silent or gone, and a recording gives way`() throws {
    _ = try take(Self.heart(60), at: 0)
    _ = try take(Self.heart(60), at: 4)
    #expect(throws: RequestRefusal.self) { try take(Self.heart(150), from: second, at: 8) }
    #expect(try take(Self.heart(151, source: "mine"), from: second, at: 8)?.value == 151)
    #expect(sensors.statuses[0].value == 60)
    #expect(try take(Self.heart(152), from: second, at: 9.5)?.value == 152)
    sensors.clientDisconnected(second)
    #expect(try take(Self.heart(62), at: 9.6)?.value == 62)
    #expect(throws: RequestRefusal.self) { try take(Self.heart(99), from: ClientID(0), of: .replay, at: 9.7) }
    _ = try take(SensorRequest(kind: .power, value: 99), from: ClientID(0), of: .replay, at: 9.7)
    #expect(try take(SensorRequest(kind: .power, value: 200), at: 9.8)?.value == 200)
  }

  @Test mutating func `Of a kind there are 4, and one that is absent for a minute makes room`() throws {
    for number in 0..<4 { _ = try take(Self.heart(60, source: "\(number)"), at: Double(number)) }
    #expect(throws: RequestRefusal.full(.sensorsOfKind)) { try take(Self.heart(60, source: "4"), at: 60) }
    #expect(try take(SensorRequest(kind: .power, value: 100), at: 60)?.value == 100)
    _ = try take(Self.heart(60, source: "4"), at: 60.5)
    #expect(sensors.statuses.compactMap(\.source) == ["1", "2", "3", "4"])
  }

  @Test mutating func `A fix takes the values along that are current, of the first source that has one`() throws {
    _ = try take(Self.heart(60, source: "strap"), at: 0)
    _ = try take(Self.heart(90, source: "watch"), at: 3)
    _ = try take(SensorRequest(kind: .temperature, value: 21.5), at: 0)
    _ = try take(SensorRequest(kind: .power, value: 0), at: 3)
    _ = try take(Self.wheel(0, 0, of: .crank), at: 3)
    var values = SensorValues()
    (values.heartRate, values.temperature, values.power) = (60, 21.5, 0)
    #expect(sensors.values(at: at(4)) == values)
    values.heartRate = 90
    #expect(sensors.values(at: at(6)) == values)
    (values.heartRate, values.power) = (nil, nil)
    #expect(sensors.values(at: at(60)) == values)
    #expect(sensors.values(at: at(61)).isEmpty)
  }

  @Test mutating func `The first value of a counter is reported at once`() throws {
    let reports = try (0..<3).map { number in
      let taken = try sensors.take(
        Self.wheel(UInt64(number), Double(1024 * number), of: .crank), from: first, of: Self.rider,
        at: at(0.1 * Double(number)))
      return try #require(taken)
    }
    #expect(reports.map(\.isDue) == [true, true, false])
    #expect(reports.map(\.isChange) == [true, false, false])
  }

  @Test mutating func `Readings are reported twice a second at most, and each change of plausibility`() throws {
    var reports: [(isDue: Bool, isChange: Bool)] = []
    for number in 0..<20 {
      let value = number == 12 ? 500.0 : 150
      let taken = try sensors.take(Self.heart(value), from: first, of: Self.rider, at: at(Double(number) / 10))
      let report = try #require(taken)
      reports.append((report.isDue, report.isChange))
    }
    #expect(reports.indices.filter { reports[$0].isChange } == [0, 12, 13])
    #expect(reports.indices.filter { reports[$0].isDue } == [0, 5, 10, 12, 13, 18])
  }
}
