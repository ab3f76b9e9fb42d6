/// One satellite as PUBX,03 gives it.
package struct PUBXSatellite: Hashable, Sendable {
  /// Whether the solution uses it.
  package enum Use: UInt8, Hashable, Sendable {
    /// -, not used.
    case unused = 0x2D
    /// U, used.
    case used = 0x55
    /// e, not used, ephemeris at hand.
    case ephemeris = 0x65
  }

  /// The number in u-blox's numbering; 0 is none.
  package var number: Int?
  /// Whether it is used.
  package var use: Use?
  /// Degrees from true north, 0 ≤ azimuth < 360.
  package var azimuth: Double?
  /// Degrees above the horizon.
  package var elevation: Double?
  /// Carrier to noise density, dBHz; `nil` when not tracked.
  package var signal: Double?
  /// Seconds of continuous carrier lock, 64 for more.
  package var lock: Int?
}

extension PUBXSatellite {
  init(_ field: inout FieldCursor) {
    number = field.integer(upTo: 999).flatMap { $0 > 0 ? $0 : nil }
    use = field.letter()
    azimuth = field.course()
    elevation = field.signed(upTo: 90)
    signal = field.unsigned(upTo: 99)
    lock = field.integer(upTo: 255)
  }
}
