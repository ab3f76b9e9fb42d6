import LocationCore

extension SensorRequest: CodedFields {
  package init() { self.init(kind: .wheel) }

  package mutating func fields(_ coder: inout some FieldCoder) {
    var named: SensorKind? = kind
    coder.field(
      "sensor", &named, bytes: 1...16, "one of \(SensorKind.allCases.map(\.rawValue).joined(separator: ", "))")
    kind = coder.required("sensor", named, or: kind)
    coder.field("value", &value, decimals: 6, in: -1e9...1e9)
    coder.field("count", &count)
    coder.field("time", &time, decimals: 9, in: 0...Self.largest)
    coder.field("wrap", &wrap)
    coder.field("ticksPerSecond", &ticksPerSecond, decimals: 6, in: 1...1e9)
    coder.field("timeWrap", &timeWrap, decimals: 6, in: 1...Self.largest)
    coder.field("source", &source, bytes: 1...64)
    if kind.isCounter {
      if count == nil { coder.noteMissing("count") }
      coder.check("value", value == nil, #"left out: "count" has the revolutions of a \#(kind.rawValue)"#)
      coder.check("wrap", wrap.map { $0 >= 2 } ?? true, "2 or more")
      coder.check("count", count.map { $0 < countPeriod } ?? true, #"below its "wrap", \#(countPeriod)"#)
      if let time, let period = timePeriod {
        coder.check(
          "time", time < period,
          #"below \#(Int(exactly: period).map { "\($0)" } ?? "\(period)"), where it wraps; other clocks have "ticksPerSecond" or "timeWrap""#
        )
      }
    } else {
      if value == nil { coder.noteMissing("value") }
      let others: [(StaticString, Bool)] = [
        ("count", count == nil), ("time", time == nil), ("wrap", wrap == nil),
        ("ticksPerSecond", ticksPerSecond == nil), ("timeWrap", timeWrap == nil),
      ]
      for (name, isAbsent) in others { coder.check(name, isAbsent, "left out: only a wheel and a crank count") }
    }
  }
}

/// The newest reading of a sensor (class `SENSOR`), sent to those who subscribe to sensors, and on request.
public struct SensorReport: Hashable, Codable, Sendable, CodedReport {
  package static let reportClass: StaticString = "SENSOR"
  /// What a sensor measures.
  public typealias Kind = OpenName<SensorReport>
  /// What it measures.
  public var sensor: Kind = .init("")
  /// Name of the unit, as its client states it; `nil` without one.
  public var source: String?
  /// The newest value in ``unit``, of a wheel or crank its rate; `nil` before the second count.
  public var value: Double?
  /// Unit of the value: `1/min`, `Pa`, `W` or `degC`.
  public var unit = ""
  /// Revolutions of a wheel or crank since its first reading.
  public var revolutions: Double?
  /// Time since the reading.
  public var age: Duration = .zero
  /// Whether the reading is out of range or does not follow from the one before: nothing uses it.
  public var isImplausible = false
  /// Number of readings that were refused as too many; `nil` for none.
  public var refused: Int?

  /// A reading of now.
  public init(sensor: Kind, source: String? = nil, value: Double? = nil, unit: String, revolutions: Double? = nil) {
    self.sensor = sensor
    self.source = source
    self.value = value
    self.unit = unit
    self.revolutions = revolutions
  }

  package init() {}

  package init(_ status: SensorStatus, at instant: MonotonicInstant) {
    self.init(
      sensor: .init(rawValue: status.kind.rawValue), source: status.source, value: status.value,
      unit: status.kind.unit, revolutions: status.revolutions)
    age = max(instant - status.received, .zero)
    isImplausible = status.isImplausible
    refused = status.refused > 0 ? Int(clamping: status.refused) : nil
  }

  package mutating func fields(_ coder: inout some FieldCoder) {
    coder.field("sensor", &sensor)
    coder.field("source", &source)
    coder.field("value", &value, decimals: 3)
    coder.field("unit", &unit)
    coder.field("revolutions", &revolutions, decimals: 0)
    coder.field("age", &age, decimals: 3)
    coder.flag("implausible", &isImplausible)
    coder.field("refused", &refused)
  }
}

extension OpenName<SensorReport> {
  /// Revolutions of a wheel.
  public static var wheel: Self { Self("wheel") }
  /// Air pressure.
  public static var pressure: Self { Self("pressure") }
  /// Revolutions of the crank: the cadence.
  public static var crank: Self { Self("crank") }
  /// Heartbeats.
  public static var heartRate: Self { Self("heartRate") }
  /// The rider's power.
  public static var power: Self { Self("power") }
  /// Temperature of the air.
  public static var temperature: Self { Self("temperature") }
}
