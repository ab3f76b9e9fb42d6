/// What one wheel and one barometer mean, each the unit that was there first until it is silent.
package struct SensorFusion: Sendable {
  /// Time without a reading after which another unit takes its place.
  private static let silence = Duration.seconds(60)

  package private(set) var wheel: WheelMotion?
  private var altitude: PressureAltitude?
  private var units: [SensorKind: (source: String?, received: MonotonicInstant)] = [:]
  /// What is known of wheels: the given circumference, or that of each unit as it was learned.
  private var known: KnownWheels

  package init(_ known: KnownWheels = KnownWheels()) { self.known = known }

  package var knownWheels: KnownWheels {
    var known = known
    if let unit = units[.wheel], let wheel { known.keep(wheel.circumference, of: unit.source) }
    return known
  }

  package func contradicts(_ kind: SensorKind, _ source: String?) -> Bool {
    kind == .wheel && units[.wheel]?.source == source && wheel?.isImplausible == true
  }

  /// Takes the newest reading of a wheel or a barometer.
  mutating func receive(_ sensor: SensorStatus) {
    let (unit, instant) = (units[sensor.kind], sensor.received)
    if let unit, unit.source != sensor.source, instant - unit.received <= Self.silence { return }
    if sensor.kind == .pressure {
      if altitude == nil { altitude = PressureAltitude() }
      if let value = sensor.value { altitude?.receive(pressure: value, at: instant) }
    } else if let revolutions = sensor.revolutions {
      if wheel == nil || unit?.source != sensor.source {
        known = knownWheels
        wheel = WheelMotion(known.circumference(of: sensor.source))
      }
      wheel?.receive(revolutions, eventTime: sensor.eventTime, at: instant)
    }
    units[sensor.kind] = (sensor.source, instant)
  }

  package mutating func complete(_ fix: inout Fix, _ fused: inout FusedMotion) {
    wheel?.complete(fix, &fused)
    altitude?.complete(&fix, &fused)
  }
}

/// The circumferences of wheels, by the unit that counts their revolutions.
package struct KnownWheels: Hashable, Sendable {
  package static let limit = 8

  package struct Wheel: Hashable, Sendable {
    package private(set) var source: String?
    /// Metres, and the 95 % error.
    package private(set) var circumference: Double
    package private(set) var error: Double
  }

  /// Circumference of every wheel; `nil` to learn it.
  package var given: Double?
  /// Those that were learned, the newest last.
  package private(set) var learned: [Wheel]

  package init(given: Double? = nil, learned: [Wheel] = []) {
    self.given = given
    self.learned = learned.suffix(Self.limit)
  }

  func circumference(of source: String?) -> WheelCircumference {
    if let given { return WheelCircumference(given) }
    guard let wheel = learned.last(where: { $0.source == source }) else { return WheelCircumference() }
    return WheelCircumference(wheel.circumference, error: wheel.error)
  }

  mutating func keep(_ circumference: WheelCircumference, of source: String?) {
    guard !circumference.isGiven, let value = circumference.value, let error = circumference.error else { return }
    learned.removeAll { $0.source == source }
    learned = (learned + [Wheel(source: source, circumference: value, error: error)]).suffix(Self.limit)
  }
}

extension KnownWheels.Wheel {
  /// Its line in a state file, with millimetres.
  package var line: String { StateWords.line(of: self) { $0.code(&$1) } }

  /// Reads such a line; `nil` if it is damaged.
  package init?(line: Substring) {
    self.init(source: nil, circumference: 0, error: 0)
    var words = StateWords(line)
    code(&words)
    guard words.isComplete, WheelCircumference.plausible.contains(circumference), error >= 0 else { return nil }
  }

  private mutating func code(_ words: inout StateWords) {
    words.code(&source, "") { $0.code(&$1) }
    for path in [\Self.circumference, \Self.error] {
      var value = (self[keyPath: path] * 1000).rounded() / 1000
      words.code(&value)
      self[keyPath: path] = value
    }
  }
}
