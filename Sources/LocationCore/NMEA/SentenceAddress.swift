struct SentenceAddress {
  let talker: Talker
  let type: SentenceType

  /// Parses `TTSSS` (standard) and `P…` (proprietary).
  @inline(__always) init(_ fields: SentenceFields) {
    let base = fields.base
    let length = fields.map.addressCount
    if length == 5, base[1] != 0x50 {
      talker = Talker(code: UInt16(base[1]) << 8 | UInt16(base[2]))
      type = SentenceType(code: UInt64(base[3]) << 16 | UInt64(base[4]) << 8 | UInt64(base[5]))
    } else {
      (talker, type) = Self.unusual(fields, length: length)
    }
  }

  @inline(never) private static func unusual(_ fields: SentenceFields, length: Int) -> (Talker, SentenceType) {
    let base = fields.base
    if length < 3 || base[1] == 0x50 { return (Talker(code: 0), proprietary(fields)) }
    let code = pack(UnsafeRawBufferPointer(start: base + 3, count: length - 2))
    return (Talker(code: UInt16(base[1]) << 8 | UInt16(base[2])), SentenceType(code: code))
  }

  /// Type for an address with `P`, or too short for a talker; for some makers, the first field identifies the message.
  private static func proprietary(_ fields: SentenceFields) -> SentenceType {
    let address = fields.address
    let first = fields[0]
    if address.count + first.count < 8 {
      let message = SentenceType(code: pack(first, after: pack(address) << 8 | 0x2C))
      switch message {
      case .pubx00, .pubx03, .pubx04, .psti030, .ptnlGGK: return message
      default: break
      }
    }
    let type = SentenceType(code: pack(address))
    let isPMTK = address.count == 7 && type.code >> 24 == SentenceType.pmtk.code
    return isPMTK && address.suffix(3).allSatisfy { 0x30...0x39 ~= $0 } ? .pmtk : type
  }

  /// Packs up to eight bytes, big-endian and right-aligned.
  static func pack(_ bytes: UnsafeRawBufferPointer, after start: UInt64 = 0) -> UInt64 {
    var code = start
    for byte in bytes.prefix(8) { code = code << 8 | UInt64(byte) }
    return code
  }

  static func unpack(_ code: UInt64) -> String {
    String(decoding: withUnsafeBytes(of: code.bigEndian) { $0.filter { $0 != 0 } }, as: UTF8.self)
  }
}
