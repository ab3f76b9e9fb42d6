package struct SensedValues: Hashable, Sendable {
  package var rider = SensorValues()
  package var fused = FusedMotion()

  package init() {}
}

/// What the rider's sensors measured at a fix.
package struct SensorValues: Hashable, Sendable {
  /// Heartbeats a minute.
  @Compact package var heartRate: Int?
  /// Revolutions of the crank a minute.
  @Compact package var cadence: Int?
  /// Watts.
  @Compact package var power: Int?
  /// Degrees Celsius.
  @Compact package var temperature: Double?

  package init() {}
  package var isEmpty: Bool { self == SensorValues() }
}

/// What wheel and pressure add to a fix. An unknown value is `nil`. Single precision is enough, and short.
package struct FusedMotion: Hashable, Sendable {
  /// Speed by the wheel, m/s.
  @Compact package var wheelSpeed: Float?
  /// Way by the wheel since the fix before, metres, and how long of that it turned, seconds.
  @Compact package var wheelWay: Float?
  @Compact package var wheelTime: Float?
  /// Altitude in the standard atmosphere by the mean pressure since the fix before, and its standard deviation, metres.
  @Compact package var pressureAltitude: Float?
  @Compact package var pressureDeviation: Float?
  /// Altitude above mean sea level by GNSS and pressure, and its 95 % error, metres.
  @Compact package var altitude: Float?
  @Compact package var altitudeError: Float?
  /// Grade of the way just ridden, percent, and its 95 % error, percentage points.
  @Compact package var grade: Float?
  @Compact package var gradeError: Float?

  package init() {}

  /// Speed at which the rider moves: near a standstill the wheel's, if there is one, else the receiver's; m/s.
  package func ridingSpeed(of fix: Fix) -> Double? {
    guard let wheel = wheelSpeed, wheel < Self.slowest || fix.speed == nil else { return fix.speed }
    return Double(wheel)
  }

  /// Speed below which a wheel is the better witness, m/s.
  static let slowest: Float = 2
}
