/// The fields of a framed sentence, without the address. Valid only as long as the bytes it points into.
package struct SentenceFields {
  let base: UnsafePointer<UInt8>
  /// Offsets of the comma in front of each field, and of the end.
  let bounds: UnsafePointer<UInt16>
  /// How many there are.
  package let count: Int

  /// The bytes of a field, the first one behind the address being 0; empty when there is no such field.
  package subscript(_ index: Int) -> UnsafeRawBufferPointer {
    guard index >= 0, index < count else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    let start = Int(bounds[index]) &+ 1
    return UnsafeRawBufferPointer(start: base + start, count: Int(bounds[index &+ 1]) &- start)
  }

  /// The bytes between `$` and the first comma.
  package var address: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + 1, count: Int(bounds[0]) &- 1)
  }
}
