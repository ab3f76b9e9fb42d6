/// Who speaks: the letters before the sentence type, `GP`, `GN`, … or a proprietary `P…` prefix.
package struct Talker: Hashable, Sendable, CustomStringConvertible {
  /// The two letters packed big-endian; 0 for a proprietary sentence.
  package let code: UInt16

  package init(code: UInt16) {
    self.code = code
  }

  /// The letters; empty for a proprietary sentence.
  package var description: String {
    var text = ""
    for byte in [UInt8(code >> 8), UInt8(code & 0xFF)] where byte != 0 {
      text.unicodeScalars.append(Unicode.Scalar(byte))
    }
    return text
  }
}
