import LocationCore

extension JSONLine {
  /// `lat` and `lon`, degrees.
  mutating func position(_ position: Coordinate?) {
    field("lat", position?.latitude, decimals: 9, trimmed: false)
    field("lon", position?.longitude, decimals: 9, trimmed: false)
  }

  /// A letter as the wire has it.
  mutating func letter(_ name: StaticString, _ letter: UInt8?) {
    guard let letter else { return }
    field(name, String(Unicode.Scalar(letter)))
  }

  /// Bytes as received.
  mutating func field(_ name: StaticString, raw: UnsafeRawBufferPointer) {
    field(name, bytes: raw.assumingMemoryBound(to: UInt8.self).span)
  }

  /// An element of an array: bytes as received.
  mutating func value(raw: UnsafeRawBufferPointer) {
    value(bytes: raw.assumingMemoryBound(to: UInt8.self).span)
  }

  /// Degrees.
  mutating func degrees(_ name: StaticString, _ value: Double?) { field(name, value, decimals: 4) }

  /// Metres.
  mutating func metres(_ name: StaticString, _ value: Double?) { field(name, value, decimals: 4) }

  /// m/s.
  mutating func speed(_ name: StaticString, _ value: Double?) { field(name, value, decimals: 3) }

  /// A dilution of precision.
  mutating func dilution(_ name: StaticString, _ value: Double?) { field(name, value, decimals: 3) }

  /// Seconds.
  mutating func seconds(_ name: StaticString, _ value: Double?) { field(name, value, decimals: 3) }
}
