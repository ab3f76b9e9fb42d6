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
    engine.desk.knownWheels = KnownWheels(given: 2)
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

extension [EngineEvents.Entry] {
  var fixes: [PublishedFix] {
    compactMap { if case .fix(let fix, _, _) = $0.event { fix } else { nil } }
  }

  var sentences: [String] {
    compactMap { if case .sentences(let bytes) = $0.event { String(decoding: bytes, as: UTF8.self) } else { nil } }
  }

  /// The cases in order, without their values.
  var names: [String] {
    map { item in String(describing: item.event).split(separator: "(").first.map(String.init) ?? "" }
  }
}
