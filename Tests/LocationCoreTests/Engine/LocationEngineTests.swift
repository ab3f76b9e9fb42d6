import Testing

@testable import LocationCore

/// An engine on a clock of its own, and the events since they were last taken.
struct EngineRig: ~Copyable {
  var engine: LocationEngine
  var events = EngineEvents()
  var now = MonotonicInstant(nanoseconds: 1_000_000_000_000)
  let client = ClientID(7)

  init(_ forms: SourceSetup.Form..., isLive: Bool = false) {
    engine = LocationEngine(
      sources: forms.enumerated().map {
        SourceSetup(id: SourceID(configured: Int32($0) + 10), form: $1, isLive: isLive, device: "/dev/gps\($0)")
      }, at: now)
    engine.connect(client)
  }

  /// Sends input to the source of that place; sources have the identifiers 10, 11, …
  mutating func send(_ input: SourceInput, to source: Int32 = 0) {
    engine.receive(input, from: SourceID(configured: source + 10), at: now, into: &events)
  }

  /// Sends the sentences of one epoch and lets the silence behind them pass.
  mutating func epoch(_ second: Double, north: Int = 0, status: String = "A", to source: Int32 = 0) {
    let text = [Sentences.rmc(second, north: north, status: status, mode: status == "A" ? "A" : "N")]
    Array(text.map(ReceiverRig.line).joined().utf8).withUnsafeBytes { send(.bytes($0), to: source) }
    wait(.milliseconds(500))
  }

  mutating func report(_ second: Int, to source: Int32 = 0) throws {
    let position = try #require(Coordinate(latitude: 48.117_3, longitude: 11.5))
    let time = UTCInstant(nanosecondsSince1970: (1_773_923_700 + Int64(second)) * 1_000_000_000)
    let fix = Fix(position: position, mode: .threeD, measured: time, received: now)
    send(.report(.position(GPSDPosition(device: "/dev/gps0", time: time, fix: fix))), to: source)
    wait(.milliseconds(500))
  }

  mutating func wait(_ duration: Duration) {
    now = now + duration
    engine.advance(to: now, into: &events)
  }

  /// Rides east for 16 s with a wheel; the first of the sources, a kilometre from each other, has no fix from 10 s on.
  mutating func rideByWheel(on sources: Int) throws {
    engine.desk.setKnownWheels(KnownWheels(given: 2))
    for source in 0..<sources { send(.opened, to: Int32(source)) }
    for second in 0..<16 {
      let wheel = SensorRequest(kind: .wheel, count: UInt64(5 * second), time: 1024 * Double(second))
      try engine.handle(.sensor(wheel), from: client, at: now, into: &events)
      let time = UTCInstant(nanosecondsSince1970: (1_773_923_700 + Int64(second)) * 1_000_000_000)
      for source in 0..<sources {
        let position = try #require(
          Coordinate(latitude: 48 + 0.01 * Double(source), longitude: 11 + 1.34e-4 * Double(second)))
        var fix = Fix(position: position, mode: .twoD, measured: time, received: now)
        (fix.speed, fix.course) = (10, 90)
        let report = GPSDPosition(device: "/dev/gps", time: time, fix: source == 0 && second >= 10 ? nil : fix)
        send(.report(.position(report)), to: Int32(source))
      }
      wait(.seconds(1))
    }
  }

  mutating func take() -> [EngineEvents.Entry] {
    defer { events.removeAll() }
    return events.list
  }
}

@Suite("First fix of a source")
struct FirstFixTests {
  @Test
  func `It is timed from the opening, again after a loss of the line, and from when the receiver was switched on`() {
    var rig = EngineRig(.sentences, isLive: true)
    #expect(rig.engine.sources[0].firstFix == nil)
    rig.send(.opening)
    rig.send(.opened)
    rig.epoch(1, status: "V")
    rig.wait(.seconds(9))
    #expect(rig.engine.sources[0].firstFix?.duration == nil)
    rig.epoch(11)
    let first = rig.engine.sources[0].firstFix?.duration
    #expect(first.map { $0 >= .seconds(9.5) && $0 <= .seconds(10.5) } == true)
    rig.epoch(12)
    #expect(rig.engine.sources[0].firstFix?.duration == first, "not the next one")
    // Before the fix: it says nothing new.
    rig.send(.poweredOn(rig.now - .seconds(60)))
    #expect(rig.engine.sources[0].firstFix?.duration == first)
    rig.send(.unplugged(.unavailable(source: "/dev/gps0", reason: "unplugged")))
    rig.send(.opened)
    #expect(rig.engine.sources[0].firstFix?.duration == nil)
    // It has had power for 20 s.
    rig.send(.poweredOn(rig.now - .seconds(20)))
    rig.epoch(14)
    #expect(rig.engine.sources[0].firstFix?.duration.map { $0 >= .seconds(20) } == true)
    // Power was lost without a hang-up.
    rig.wait(.seconds(5))
    rig.send(.poweredOn(rig.now - .seconds(1)))
    #expect(rig.engine.sources[0].firstFix?.duration == nil)
    rig.epoch(20)
    #expect(rig.engine.sources[0].firstFix?.duration.map { $0 < .seconds(3) } == true)
    rig.send(.poweredOn(rig.now), to: 89)
  }
}

extension [EngineEvents.Entry] {
  fileprivate var fixes: [PublishedFix] {
    compactMap { if case .fix(let fix, _, _) = $0.event { fix } else { nil } }
  }

  fileprivate var sentences: [String] {
    compactMap { if case .sentences(let bytes) = $0.event { String(decoding: bytes, as: UTF8.self) } else { nil } }
  }

  /// The cases in order, without their values.
  fileprivate var names: [String] {
    map { item in String(describing: item.event).split(separator: "(").first.map(String.init) ?? "" }
  }
}

@Suite("Location engine")
struct LocationEngineTests {
  @Test func `If only sources that cannot have a fix are left, a pending request is answered`() throws {
    var rig = EngineRig(.sentences, .sentences)
    let error = SourceError.misconfigured(source: "/dev/gps0", reason: "it is a directory")
    for source: Int32 in 0...1 { rig.send(.opening, to: source) }
    rig.send(.failed(error))
    rig.send(.opened, to: 1)
    try rig.engine.handle(.locate(timeout: 60, maxAge: nil), from: rig.client, at: rig.now, into: &rig.events)
    _ = rig.take()
    let failed = rig.engine.sources[0].setup
    rig.engine.rearrange([failed], at: rig.now, into: &rig.events)
    let answers = rig.take().compactMap { if case .located(let answer) = $0.event { answer } else { nil } }
    #expect(answers.map(\.outcome) == [.failed(error)])
  }

  @Test func `Bytes open a source; its first fix comes behind the states that lead to it`() {
    var rig = EngineRig(.sentences)
    rig.epoch(0)
    #expect(rig.take().names == ["state", "lead", "state", "lead", "state", "lead", "fix"])
    rig.epoch(1)
    let next = rig.take()
    #expect(next.names == ["fix"])
    #expect(next.fixes.map(\.seq) == [2] && next.fixes.map(\.source) == [10])
  }

  @Test func `A source without sentences has them made from its fixes, one burst an epoch, and none of a gpsd`() throws
  {
    for (isLive, bursts) in [(false, 3), (true, 0)] {
      var rig = EngineRig(.reports, isLive: isLive)
      rig.events.collectsSentences = true
      rig.send(.opened)
      for second in 0..<3 { try rig.report(second) }
      let events = rig.take()
      #expect(events.fixes.count == 3)
      #expect(events.sentences.count == bursts)
      for (second, burst) in events.sentences.enumerated() {
        #expect(burst.hasPrefix("$GNRMC,12350\(second).000,A,4807.0380000,N,01130.0000000,E,"))
        #expect(burst.split(separator: "\r\n").map { $0.prefix(6) } == ["$GNRMC", "$GNGGA", "$GNGSA"])
      }
    }
  }

  @Test func `A receiver's own sentences pass through, and none are made beside them or without a reader`() {
    var rig = EngineRig(.sentences)
    for second in 0..<3 { rig.epoch(Double(second)) }
    #expect(rig.take().sentences.isEmpty)
    rig.events.collectsSentences = true
    for second in 3..<6 { rig.epoch(Double(second)) }
    let sentences = rig.take().sentences
    #expect(sentences.count == 3 && sentences.allSatisfy { $0.split(separator: "\r\n").count == 1 })
  }

  @Test func `Climb and error of the course follow from the fix before, and not across a loss`() throws {
    var rig = EngineRig(.reports)
    rig.send(.opened)
    func report(_ second: Int, altitude: Double) throws {
      let position = try #require(Coordinate(latitude: 48.117_3 + Double(second) * 2e-4, longitude: 11.5))
      let time = UTCInstant(nanosecondsSince1970: (1_773_923_700 + Int64(second)) * 1_000_000_000)
      var fix = Fix(position: position, mode: .threeD, measured: time, received: rig.now)
      (fix.altitudeMSL, fix.course, fix.horizontalAccuracy) = (altitude, 0, 4)
      rig.send(.report(.position(GPSDPosition(device: "/dev/gps0", time: time, fix: fix))))
      rig.wait(.seconds(1))
    }
    for second in 0..<3 { try report(second, altitude: 500 + 2 * Double(second)) }
    rig.wait(.seconds(5))
    try report(8, altitude: 540)
    let fixes = rig.take().fixes.map(\.fix)
    #expect(fixes.map(\.climb) == [nil, 2, 2, nil])
    #expect(fixes.map { $0.courseAccuracy != nil } == [false, true, true, false])
  }

  @Test func `A loss by silence happens at its own instant, before the input that reveals it`() throws {
    var rig = EngineRig(.sentences)
    for second in 0..<5 { rig.epoch(Double(second), north: second); rig.wait(.milliseconds(500)) }
    let last = try #require(rig.take().fixes.last)
    rig.now = rig.now + .seconds(60)
    rig.epoch(65, north: 5)
    let events = rig.take()
    #expect(events.names == ["state", "fixLost", "lead", "state", "lead", "fix"])
    let lost = try #require(events.first).instant - last.fix.received
    #expect(lost >= .seconds(3) && lost < .seconds(4))
    #expect(events.fixes.first?.changes.contains(.regained) == true)
  }

  @Test func `A clock that is set back is published with the third epoch, as regained and without a loss`() {
    for forms in [[SourceSetup.Form.sentences], [.reports]] {
      var rig = EngineRig(forms[0])
      rig.send(.opened)
      func epoch(_ second: Int) {
        if forms == [.reports] { try? rig.report(second) } else { rig.epoch(Double(second)) }
        rig.wait(.milliseconds(500))
      }
      for second in 100..<105 { epoch(second) }
      _ = rig.take()
      for second in 50..<52 { epoch(second) }
      #expect(rig.take().fixes.isEmpty)
      epoch(52)
      let events = rig.take()
      #expect(events.names == ["fix", "fix", "fix"])
      #expect(events.fixes.map(\.changes) == [.regained, [], []])
      epoch(53)
      #expect(rig.take().fixes.map(\.changes) == [[]])
    }
  }

  @Test(arguments: [1.0, 2, 10])
  func `Of fixes that a stopped process reads at once, the newest is published with its age`(_ rate: Double) throws {
    var rig = EngineRig(.sentences, isLive: true)
    func line(_ number: Int) -> [UInt8] { Array(ReceiverRig.line(Sentences.rmc(Double(number) / rate)).utf8) }
    let period = Duration.nanoseconds(Int64(1e9 / rate))
    let stop = Int(10 * rate)
    for number in 0..<stop {
      line(number).withUnsafeBytes { rig.send(.bytes($0)) }
      rig.wait(period)
    }
    #expect(rig.take().fixes.map(\.age) == Array(repeating: nil, count: stop))
    // 10 s later the line holds what was measured since, but for the newest 3 s.
    rig.now = rig.now + .seconds(10)
    for number in stop..<(stop + Int(7 * rate)) { line(number).withUnsafeBytes { rig.send(.bytes($0)) } }
    rig.wait(.milliseconds(50))
    #expect(rig.take().fixes.isEmpty)
    rig.wait(.milliseconds(60))
    let late = rig.take().fixes
    let fix = try #require(late.first)
    #expect(late.count == 1)
    let age = try #require(fix.age).inSeconds
    #expect(abs(age - (3.1 + 1 / rate)) < 0.1)
    #expect(abs((rig.now - fix.fix.received).inSeconds - age) < 0.1)
    let newest = (Double(stop) + 7 * rate - 1) / rate
    #expect(abs((fix.fix.measured?.secondsSince1970 ?? .nan) - (1_773_923_700 + newest)) < 0.001)
    // The daemon reads in time again.
    for number in (stop * 2)..<(stop * 2 + 5) {
      line(number).withUnsafeBytes { rig.send(.bytes($0)) }
      rig.wait(period)
    }
    #expect(rig.take().fixes.map(\.age) == Array(repeating: nil, count: 5))
    #expect(rig.engine.lead.counters.superseded == UInt64(7 * rate) - 1)
  }

  @Test(arguments: [true, false])
  func `A late fix comes before the loss that was read with it`(isUnplugged: Bool) {
    var rig = EngineRig(.sentences, isLive: true)
    for second in 0..<5 { rig.epoch(Double(second)); rig.wait(.milliseconds(500)) }
    rig.wait(.seconds(1))
    _ = rig.take()
    rig.now = rig.now + .seconds(10)
    let lost = isUnplugged ? [] : (8..<12).map { Sentences.rmc(Double($0), status: "V", mode: "N") }
    let text = ((5..<8).map { Sentences.rmc(Double($0)) } + lost).map(ReceiverRig.line).joined()
    Array(text.utf8).withUnsafeBytes { rig.send(.bytes($0)) }
    if isUnplugged { rig.send(.unplugged(.unavailable(source: "", reason: ""))) }
    rig.wait(.seconds(1))
    let events = rig.take()
    #expect(events.fixes.map(\.fix.timeOfDay) == [TimeOfDay(hour: 12, minute: 35, second: 7)])
    // The first loss is that by silence.
    #expect(
      events.names.filter { ["fix", "noFix", "fixLost"].contains($0) }
        == ["fixLost", "fix"] + (isUnplugged ? ["fixLost"] : ["noFix", "fixLost", "noFix", "noFix", "noFix"]))
    let hasFix = rig.engine.hasFix
    #expect(!hasFix)
  }

  @Test func `In a recording, and behind a new connection, every fix that arrives late is published`() {
    for isLive in [false, true] {
      var rig = EngineRig(.sentences, isLive: isLive)
      for second in 0..<5 { rig.epoch(Double(second)); rig.wait(.milliseconds(500)) }
      _ = rig.take()
      rig.wait(.seconds(10))
      if isLive { rig.send(.unplugged(.unavailable(source: "", reason: ""))) }
      let text = (5..<15).map { ReceiverRig.line(Sentences.rmc(Double($0))) }.joined()
      Array(text.utf8).withUnsafeBytes { rig.send(.bytes($0)) }
      rig.wait(.seconds(1))
      #expect(rig.take().fixes.map(\.age) == Array(repeating: nil, count: 10))
    }
  }

  @Test func `Of sentences and reports about the same epochs the first usable ones are published, once`() throws {
    var rig = EngineRig(.either)
    for second in 0..<3 {
      rig.epoch(Double(second))
      try rig.report(second)
    }
    #expect(rig.take().fixes.count == 3)
    var reports = EngineRig(.either)
    for second in 0..<3 {
      reports.send(.opened)
      try reports.report(second)
      reports.epoch(Double(second))
    }
    #expect(reports.take().fixes.count == 3)
    #expect(reports.engine.lead.counters.nmea.sentences == 0)
  }

  @Test func `Another source leads when the first falls silent, and announces itself with its first fix`() {
    var rig = EngineRig(.sentences, .sentences)
    for second in 0..<5 {
      rig.epoch(Double(second))
      rig.epoch(Double(second), to: 1)
    }
    #expect(rig.take().fixes.allSatisfy { $0.source == 10 })
    for second in 5..<12 { rig.epoch(Double(second), to: 1); rig.wait(.milliseconds(500)) }
    let events = rig.take()
    let reasons = events.compactMap { if case .lead(let status) = $0.event { status.reason } else { nil } }
    #expect(reasons == [.silent])
    #expect(events.fixes.first?.source == 11)
    #expect(events.fixes.first?.changes.contains(.source) == true)
  }

  @Test func `The estimate of an outage ends when another source with a fix takes the lead`() throws {
    var rig = EngineRig(.reports, .reports)
    try rig.rideByWheel(on: 2)
    let events = rig.take()
    let lead = try #require(
      events.firstIndex { if case .lead(let status) = $0.event { status.reason == .noFix } else { false } })
    let (before, after) = (Array(events[..<lead]), Array(events[lead...]))
    #expect(before.names.contains("estimate") && !after.names.contains("estimate"))
    let (fix, taken) = (try #require(after.fixes.first), try #require(after.first).instant)
    #expect(fix.source == 11 && fix.fix.received - taken < .seconds(1))
  }

  @Test func `Behind the end of a source nothing is estimated`() throws {
    var rig = EngineRig(.reports)
    try rig.rideByWheel(on: 1)
    #expect(rig.take().names.contains("estimate"))
    rig.send(.ended)
    rig.wait(.seconds(5))
    let isEstimating = rig.engine.isEstimating
    #expect(!isEstimating && !rig.take().names.contains("estimate"))
  }

  @Test func `Input of an unknown source is ignored`() {
    var rig = EngineRig(.sentences)
    rig.epoch(0, to: 3)
    #expect(rig.take().isEmpty)
  }

  @Test func `A view dragged away disengages; a refused request is an error and changes nothing`() throws {
    var rig = EngineRig(.sentences)
    rig.epoch(0)
    _ = rig.take()
    let far = try #require(Coordinate(latitude: 48.13, longitude: 11.5))
    let view = ViewRequest(view: "main", coordinate: far, seq: 1, cause: .user)
    try rig.engine.handle(.view(view), from: rig.client, at: rig.now, into: &rig.events)
    guard case .told(.follow(let state), to: .subscribers(and: rig.client))? = rig.take().first?.event else {
      Issue.record("no follow event")
      return
    }
    #expect(!state.following && state.reason == .drift)
    #expect(throws: RequestRefusal.missing(.target, name: "home")) {
      try rig.engine.handle(.removeTarget(name: "home"), from: rig.client, at: rig.now, into: &rig.events)
    }
    #expect(rig.events.isEmpty)
  }

  @Test func `A request of a client that is not connected has no effect`() throws {
    var rig = EngineRig(.sentences)
    rig.epoch(0)
    rig.engine.disconnect(rig.client, at: rig.now, into: &rig.events)
    _ = rig.take()
    for request in [
      EngineRequest.setFollow(view: "main", enable: false), .trip(TripRequest(name: "day")),
      .removeTarget(name: "home"),
    ] {
      try rig.engine.handle(request, from: rig.client, at: rig.now, into: &rig.events)
    }
    #expect(rig.events.isEmpty && rig.engine.desk.trips.isEmpty && rig.engine.desk.follow.states.isEmpty)
  }

  @Test func `A locate request without a fix is answered when its time is over`() throws {
    var rig = EngineRig(.sentences)
    let asked = rig.now
    try rig.engine.handle(
      .locate(timeout: nil, maxAge: nil), from: rig.client, at: rig.now, into: &rig.events)
    #expect(rig.engine.deadline == asked + .seconds(10))
    rig.wait(.seconds(30))
    let events = rig.take()
    #expect(events.names == ["located"])
    #expect(events.first?.instant == asked + .seconds(10))
  }

  @Test func `Input before a position that is sought prepares the next receiver and is not published`() {
    var rig = EngineRig(.either)
    for second in 0..<4 { rig.epoch(Double(second)) }
    _ = rig.take()
    var receiver = rig.engine.sources[0].successor(rig.engine.sources[0].setup)
    Array(ReceiverRig.line(Sentences.rmc(100)).utf8).withUnsafeBytes { receiver.prime(.bytes($0), at: rig.now) }
    rig.now = rig.now + .seconds(1)
    receiver.start(at: rig.now)
    rig.send(.replaced(receiver))
    #expect(rig.events.isEmpty)
    rig.epoch(101)
    let fixes = rig.take().fixes
    #expect(fixes.count == 1 && fixes.first?.seq == 5)
    #expect(rig.engine.sources[0].counters.nmea.sentences == 6)
  }

  @Test func `In a later pass of a recording, the times of all events are later`() throws {
    var rig = EngineRig(.reports)
    func time(_ second: Int64) -> UTCInstant {
      UTCInstant(nanosecondsSince1970: (1_773_923_700 + second) * 1_000_000_000)
    }
    rig.send(.opened)
    rig.engine.sources[0].setup.timeShift = .seconds(100)
    var noise = PseudorangeNoise()
    (noise.measured, noise.rms) = (time(0), 2)
    rig.send(.report(.noise(device: "/dev/gps0", noise)))
    try rig.report(0)
    rig.send(.report(.position(GPSDPosition(device: "/dev/gps0", time: time(1), fix: nil))))
    rig.wait(.seconds(1))
    var times: [UTCInstant?] = []
    for entry in rig.take() {
      switch entry.event {
      case .fix(let fix, _, let noise): times += [fix.fix.measured, noise?.measured]
      case .noFix(let time, _): times.append(time)
      default: break
      }
    }
    #expect(times == [time(100), time(100), time(101)])
  }

  @Test func `An epoch without a position is an event of its own; two of them lose the fix`() {
    var rig = EngineRig(.sentences)
    for second in 0..<3 { rig.epoch(Double(second)) }
    _ = rig.take()
    rig.epoch(3, status: "V")
    #expect(rig.take().names == ["noFix"])
    rig.epoch(4, status: "V")
    #expect(rig.take().names == ["state", "fixLost", "lead", "noFix"])
  }
}
