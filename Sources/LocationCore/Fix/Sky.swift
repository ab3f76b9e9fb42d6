/// The satellites of one epoch, all systems together.
package struct Sky: Hashable, Sendable {
  /// UTC time of the epoch, if known.
  package var measured: UTCInstant?
  /// Every satellite in view, each once.
  package var satellites: [Satellite]
  /// Dilutions of precision; `nil` when unknown.
  package var hdop: Double?
  package var vdop: Double?
  package var pdop: Double?

  package init(measured: UTCInstant? = nil, satellites: [Satellite] = []) {
    self.measured = measured
    self.satellites = satellites
  }

  /// Satellites that the solution uses.
  package var used: Int { satellites.count { $0.used } }
}
