/// One satellite as PUBX,03 gives it, kept small: a sentence holds sixteen.
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

  /// Whether it is used.
  package private(set) var use: Use?
  private var storedNumber: UInt16 = 0
  private var storedAzimuth: UInt16 = .max
  private var storedElevation: Int8 = .min
  private var storedSignal: UInt8 = .max
  private var storedLock: UInt8 = .max

  init() {}

  /// The number in u-blox's numbering.
  package var number: Int? { storedNumber == 0 ? nil : Int(storedNumber) }
  /// Degrees from true north, 0 ≤ azimuth < 360.
  package var azimuth: Int? { storedAzimuth == .max ? nil : Int(storedAzimuth) }
  /// Whole degrees above the horizon.
  package var elevation: Int? { storedElevation == .min ? nil : Int(storedElevation) }
  /// Carrier to noise density, dBHz; `nil` when not tracked.
  package var signal: Int? { storedSignal == .max ? nil : Int(storedSignal) }
  /// Seconds of continuous carrier lock, 64 for more.
  package var lock: Int? { storedLock == .max ? nil : Int(storedLock) }
}

extension PUBXSatellite {
  init(_ field: inout FieldCursor) {
    storedNumber = UInt16(truncatingIfNeeded: field.integer(upTo: 999) ?? 0)
    use = field.letter()
    storedAzimuth = field.integer(upTo: 360).map { UInt16(truncatingIfNeeded: $0 % 360) } ?? .max
    storedElevation = field.signed(upTo: 90).map { Int8($0.rounded()) } ?? .min
    storedSignal = field.integer(upTo: 99).map { UInt8(truncatingIfNeeded: $0) } ?? .max
    storedLock = field.integer(upTo: 254).map { UInt8(truncatingIfNeeded: $0) } ?? .max
  }
}
