/// What a sentence is about: the letters behind the talker (`RMC`), or the address of a proprietary
/// sentence (`PGRME`), with its first field where the maker numbers his messages there (`PUBX,00`).
package struct SentenceType: Hashable, Sendable, CustomStringConvertible {
  /// Up to eight ASCII characters, packed big-endian and right-aligned; longer addresses are cut.
  package let code: UInt64

  package init(code: UInt64) {
    self.code = code
  }

  /// No address at all.
  package static let none = SentenceType(code: 0)
  package static let rmc = SentenceType(code: 0x52_4D43)
  package static let gga = SentenceType(code: 0x47_4741)
  package static let gll = SentenceType(code: 0x47_4C4C)
  package static let gns = SentenceType(code: 0x47_4E53)
  package static let vtg = SentenceType(code: 0x56_5447)
  package static let zda = SentenceType(code: 0x5A_4441)
  package static let gst = SentenceType(code: 0x47_5354)
  package static let gsa = SentenceType(code: 0x47_5341)
  package static let gsv = SentenceType(code: 0x47_5356)

  /// The characters.
  package var description: String {
    var text = ""
    for shift in stride(from: 56, through: 0, by: -8) {
      let byte = UInt8(truncatingIfNeeded: code >> UInt64(shift))
      if byte != 0 { text.unicodeScalars.append(Unicode.Scalar(byte)) }
    }
    return text
  }
}
