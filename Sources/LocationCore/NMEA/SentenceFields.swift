/// The fields of a framed sentence, without the address. Valid only as long as the bytes it points into.
package struct SentenceFields {
  let base: UnsafePointer<UInt8>
  let map: CommaMap
  /// How many there are.
  package let count: Int

  /// The bytes of a field, the first one behind the address being 0; empty when there is no such field.
  package subscript(_ index: Int) -> UnsafeRawBufferPointer {
    guard index >= 0, index < count else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    var cursor = FieldCursor(self)
    cursor.skip(index)
    let field = cursor.next()
    return UnsafeRawBufferPointer(start: field.start, count: field.count)
  }

  /// The bytes between `$` and the first comma.
  package var address: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + 1, count: map.addressCount)
  }
}
