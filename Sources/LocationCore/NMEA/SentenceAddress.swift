/// Who speaks and what about, read from a sentence's address.
struct SentenceAddress {
  let talker: Talker
  let type: SentenceType

  /// `TTSSS` is a standard sentence; what begins with `P` is proprietary.
  @inline(__always)
  init(_ fields: SentenceFields) {
    let base = fields.base
    let length = fields.map.addressCount
    if length == 5, base[1] != 0x50 {
      talker = Talker(code: UInt16(base[1]) << 8 | UInt16(base[2]))
      type = SentenceType(code: UInt64(base[3]) << 16 | UInt64(base[4]) << 8 | UInt64(base[5]))
    } else {
      (talker, type) = Self.unusual(fields, length: length)
    }
  }

  @inline(never)
  private static func unusual(_ fields: SentenceFields, length: Int) -> (Talker, SentenceType) {
    let base = fields.base
    if length < 3 || base[1] == 0x50 { return (Talker(code: 0), ProprietaryAddress.type(of: fields)) }
    let code = pack(UnsafeRawBufferPointer(start: base + 3, count: length - 2))
    return (Talker(code: UInt16(base[1]) << 8 | UInt16(base[2])), SentenceType(code: code))
  }

  /// Up to eight bytes, big-endian and right-aligned.
  static func pack(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var code: UInt64 = 0
    for byte in bytes.prefix(8) { code = code << 8 | UInt64(byte) }
    return code
  }
}
