/// The navigation status of PUBX,00: two characters, packed as a number.
package enum PUBXStatus: UInt16, Hashable, Sendable {
  /// NF, no fix.
  case noFix = 0x4E46
  /// DR, dead reckoning only.
  case deadReckoning = 0x4452
  /// G2, stand-alone, two-dimensional.
  case twoD = 0x4732
  /// G3, stand-alone, three-dimensional.
  case threeD = 0x4733
  /// D2, differential, two-dimensional.
  case differentialTwoD = 0x4432
  /// D3, differential, three-dimensional.
  case differentialThreeD = 0x4433
  /// RK, GNSS combined with dead reckoning.
  case gnssDeadReckoning = 0x524B
  /// TT, time only.
  case timeOnly = 0x5454
}

extension FieldCursor {
  mutating func pubxStatus() -> PUBXStatus? {
    let field = next()
    if field.count == 0 { return nil }
    guard field.count == 2, let status = PUBXStatus(rawValue: UInt16(field.start[0]) << 8 | UInt16(field.start[1]))
    else { return fail(field) }
    return status
  }
}
