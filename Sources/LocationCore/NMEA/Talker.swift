/// Who speaks: the letters before the sentence type, `GP`, `GN`, … or a proprietary `P…` prefix.
package struct Talker: Hashable, Sendable {
  /// The two letters packed big-endian; 0 for a proprietary sentence.
  package let code: UInt16

  package init(code: UInt16) {
    self.code = code
  }
}
