/// The satellites of one epoch, all systems together.
package struct Sky: Hashable, Sendable {
  /// UTC time of the epoch, if known.
  @Compact package var measured: UTCInstant?
  /// Every satellite in view, each once.
  package var satellites: [Satellite]
  /// Dilutions of precision; `nil` when unknown.
  @Compact package var hdop: Double?
  @Compact package var vdop: Double?
  @Compact package var pdop: Double?

  package init(measured: UTCInstant? = nil, satellites: [Satellite] = []) {
    self.measured = measured
    self.satellites = satellites
  }

  /// Satellites that the solution uses.
  package var used: Int { satellites.count { $0.used } }
}
