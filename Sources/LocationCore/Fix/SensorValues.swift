/// What sensors measured at a fix.
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
