/// Talker and type from the address of a sentence.
struct SentenceAddress {
  let talker: Talker
  let type: SentenceType

  /// Parses `TTSSS` (standard) and `P…` (proprietary).
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

  /// Packs up to eight bytes, big-endian and right-aligned.
  static func pack(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var code: UInt64 = 0
    for byte in bytes.prefix(8) { code = code << 8 | UInt64(byte) }
    return code
  }

  /// The characters of a packed code.
  static func unpack(_ code: UInt64) -> String {
    var text = ""
    for shift in stride(from: 56, through: 0, by: -8) {
      let byte = UInt8(truncatingIfNeeded: code >> UInt64(shift))
      if byte != 0 { text.unicodeScalars.append(Unicode.Scalar(byte)) }
    }
    return text
  }
}

/// Addresses of the proprietary sentences that are decoded.
enum ProprietaryAddress {
  /// One proprietary sentence.
  private struct Row {
    let address: UInt64
    /// Required first field, if it identifies the message; 0 for any.
    let first: UInt64
    /// Number of digits in the address after `address`.
    let digits: Int
    let type: SentenceType

    init(_ address: StaticString, first: StaticString = "", digits: Int = 0, _ type: SentenceType) {
      self.address = Self.pack(address)
      self.first = Self.pack(first)
      self.digits = digits
      self.type = type
    }

    private static func pack(_ text: StaticString) -> UInt64 {
      text.withUTF8Buffer { SentenceAddress.pack(UnsafeRawBufferPointer($0)) }
    }

    func matches(_ fields: SentenceFields) -> Bool {
      let address = fields.address
      let stem = UnsafeRawBufferPointer(rebasing: address.dropLast(digits))
      guard address.count <= 8, SentenceAddress.pack(stem) == self.address,
        address.suffix(digits).allSatisfy({ 0x30...0x39 ~= $0 })
      else { return false }
      return first == 0 || (fields[0].count <= 8 && SentenceAddress.pack(fields[0]) == first)
    }
  }

  private static let rows = [
    Row("PUBX", first: "00", .pubx00),
    Row("PUBX", first: "03", .pubx03),
    Row("PUBX", first: "04", .pubx04),
    Row("PGRME", .pgrme),
    Row("PGRMZ", .pgrmz),
    Row("PMTK", digits: 3, .pmtk),
    Row("PSTI", first: "030", .psti030),
    Row("PTNL", first: "GGK", .ptnlGGK),
    Row("PSRFEPE", .psrfepe),
    Row("PQGSV", .pqgsv),
  ]

  /// The type of a sentence whose address begins with `P` or is too short for a talker.
  static func type(of fields: SentenceFields) -> SentenceType {
    for row in rows where row.matches(fields) { return row.type }
    return SentenceType(code: SentenceAddress.pack(fields.address))
  }
}
