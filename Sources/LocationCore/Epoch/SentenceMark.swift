/// A place in an epoch's order of sentences: who says what. GSV counts when its last part has come.
struct SentenceMark: Hashable, Sendable {
  /// The talker, and the letters of the type.
  let code: UInt64

  /// The mark of a sentence; `nil` for one that adds nothing to a fix or its sky, and for a GSV part that
  /// others follow.
  init?(_ sentence: Sentence, _ talker: Talker) {
    let letters: UInt64
    switch sentence {
    case .rmc: letters = SentenceType.rmc.code
    case .gga: letters = SentenceType.gga.code
    case .gll: letters = SentenceType.gll.code
    case .gns: letters = SentenceType.gns.code
    case .vtg: letters = SentenceType.vtg.code
    case .zda: letters = SentenceType.zda.code
    case .gst: letters = SentenceType.gst.code
    case .gsa: letters = SentenceType.gsa.code
    case .gsv(let gsv):
      guard gsv.part == gsv.parts else { return nil }
      letters = SentenceType.gsv.code
    default: return nil
    }
    code = UInt64(talker.code) << 32 | letters
  }
}
