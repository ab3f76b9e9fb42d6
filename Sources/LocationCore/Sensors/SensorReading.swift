/// What a sensor measures; the raw values are the protocol's `sensor`.
package enum SensorKind: String, CaseIterable, Hashable, Sendable {
  case wheel, pressure, crank, heartRate, power, temperature

  package var isCounter: Bool { self == .wheel || self == .crank }

  /// Its unit, and plausible values in it; of a counter, its rate. The fastest wheel is one of 1.3 m at 280 km/h.
  private var scale: (unit: String, plausible: ClosedRange<Double>) {
    switch self {
    case .wheel: ("1/min", 0...3600)
    case .crank: ("1/min", 0...300)
    case .heartRate: ("1/min", 20...250)
    case .pressure: ("Pa", 20_000...120_000)
    case .power: ("W", 0...3000)
    case .temperature: ("degC", -60...85)
    }
  }

  package var unit: String { scale.unit }
  var plausible: ClosedRange<Double> { scale.plausible }
  var lifetime: Duration { self == .temperature ? .seconds(60) : .seconds(5) }
}

/// A reading as a client sends it: a value, or a count of revolutions as the sensor has it.
package struct SensorRequest: Hashable, Sendable {
  /// Counts and times are at most this, so that a `Double` holds them exactly.
  package static let largest = 0x1p53

  package var kind: SensorKind
  /// Of all but wheel and crank, in the kind's unit.
  package var value: Double?
  /// Revolutions.
  package var count: UInt64?
  /// The time of the last revolution, in ticks of the sensor's clock; `nil` if that is the arrival.
  package var time: Double?
  /// The count after which 0 follows, plus 1; `nil` is that of Bluetooth's characteristic.
  package var wrap: UInt64?
  /// Ticks of the sensor's clock in a second; `nil` for 1024.
  package var ticksPerSecond: Double?
  /// The time after which 0 follows, plus 1, in ticks; `nil` for 65,536 of 1024 a second, and for none of others.
  package var timeWrap: Double?
  /// Name of the device, 1 to 64 bytes; `nil` if there is one of the kind.
  package var source: String?

  package init(kind: SensorKind, value: Double? = nil, count: UInt64? = nil, time: Double? = nil, source: String? = nil)
  {
    (self.kind, self.value, self.count, self.time, self.source) = (kind, value, count, time, source)
  }

  package var countPeriod: UInt64 { wrap ?? (kind == .wheel ? 1 << 32 : 1 << 16) }
  package var tickRate: Double { ticksPerSecond ?? 1024 }
  package var timePeriod: Double? { timeWrap ?? (ticksPerSecond == nil ? 65_536 : nil) }
}

/// A sensor with its newest reading.
package struct SensorStatus: Hashable, Sendable {
  package var kind: SensorKind
  /// Name of the device, as its client states it.
  package var source: String?
  package var received: MonotonicInstant
  /// In the kind's unit; `nil` of a counter that has made no step.
  package var value: Double?
  /// Of wheel and crank, since the first reading, without wraps and jumps.
  package var revolutions: Double?
  /// Seconds from the first reading's revolution to the last one, on the sensor's clock unwrapped.
  var eventTime: Double?
  /// Whether its newest reading is out of range, or does not follow from the one before.
  package var isImplausible = false
  /// Readings that were refused as too many.
  package var refused: UInt64 = 0
}
