extension FieldCursor {
  /// A dilution of precision; 0 and from 99 on say that there is none.
  @inline(never)
  mutating func dilution() -> Double? {
    guard let value = unsigned(), value > 0, value < 99 else { return nil }
    return value
  }

  /// Degrees from north, 0 ≤ course < 360; 360 is 0.
  @inline(never)
  mutating func course() -> Double? {
    guard let value = unsigned(upTo: 360) else { return nil }
    return value == 360 ? 0 : value
  }

  /// m/s from knots (1852 m an hour).
  @inline(always)
  mutating func knots() -> Double? {
    unsigned(scale: 1852.0 / 3600, upTo: Self.fastest)
  }

  /// m/s from km/h.
  @inline(always)
  mutating func kilometresPerHour() -> Double? {
    unsigned(scale: 1 / 3.6, upTo: Self.fastest)
  }

  /// m/s; no receiver of this kind moves faster.
  static var fastest: Double { 1000 }

  /// A number of metres, with its unit behind it: `M` or nothing.
  @inline(never)
  mutating func metres() -> Double? {
    let value = signed()
    return unit(0x4D) ? value : nil
  }

  /// Magnetic variation in degrees, east positive, from a value and its direction.
  @inline(always)
  mutating func variation() -> Double? {
    let field = next()
    let direction = next()
    if field.count == 0 { return nil }
    let value = Self.value(field)
    guard value <= 180 else { return fail(field) }
    guard direction.count == 1 else { return fail(direction) }
    switch direction.start[0] {
    case 0x45: return value
    case 0x57: return -value
    default: return fail(direction)
    }
  }

  /// A course and the letter that must stand behind it, or nothing.
  @inline(always)
  mutating func course(unit letter: UInt8) -> Double? {
    let value = course()
    return unit(letter) ? value : nil
  }

  /// m/s from knots and an `N`, or nothing.
  @inline(always)
  mutating func knotsWithUnit() -> Double? {
    let value = knots()
    return unit(0x4E) ? value : nil
  }

  /// m/s from km/h and a `K`, or nothing.
  @inline(always)
  mutating func kilometresPerHourWithUnit() -> Double? {
    let value = kilometresPerHour()
    return unit(0x4B) ? value : nil
  }

  /// Takes a field that must be that letter or empty; false, and noted, when it is something else.
  @inline(never)
  mutating func unit(_ letter: UInt8) -> Bool {
    let field = next()
    if field.count == 0 || (field.count == 1 && field.start[0] == letter) { return true }
    _ = fail(field, Bool.self)
    return false
  }
}
