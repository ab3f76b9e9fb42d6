extension FieldCursor {
  /// Magnetic variation in degrees, east positive, from a value and its direction.
  @inline(__always)
  mutating func variation() -> Double? {
    let field = next()
    let direction = next()
    if field.count == 0 { return nil }
    guard let number = Self.decimal(field.start, field.count), number.value <= 180 else { return fail(field) }
    guard direction.count == 1 else { return fail(direction) }
    switch direction.start[0] {
    case 0x45: return number.value
    case 0x57: return -number.value
    default: return fail(direction)
    }
  }

  /// A course and the letter that must stand behind it, or nothing.
  @inline(__always)
  mutating func course(unit letter: UInt8) -> Double? {
    let value = course()
    return unit(letter) ? value : nil
  }

  /// m/s from knots and an `N`, or nothing.
  @inline(__always)
  mutating func knotsWithUnit() -> Double? {
    let value = knots()
    return unit(0x4E) ? value : nil
  }

  /// m/s from km/h and a `K`, or nothing.
  @inline(__always)
  mutating func kilometresPerHourWithUnit() -> Double? {
    let value = kilometresPerHour()
    return unit(0x4B) ? value : nil
  }

  /// Takes a field that must be that letter or empty; false, and noted, when it is something else.
  @inline(__always)
  mutating func unit(_ letter: UInt8) -> Bool {
    let field = next()
    if field.count == 0 || (field.count == 1 && field.start[0] == letter) { return true }
    _ = fail(field, Bool.self)
    return false
  }
}
