/// A place in an epoch's order of sentences: who says what. GSV counts when its last part has come.
struct SentenceMark: Hashable, Sendable {
  /// The letters of the type.
  let code: UInt64
  /// Who says it.
  let talker: Talker

  /// The mark of a sentence; `nil` for one that adds nothing to a fix or its sky, and for a GSV part that
  /// others follow.
  init?(_ sentence: Sentence, _ talker: Talker) {
    let type: SentenceType
    switch sentence {
    case .rmc: type = .rmc
    case .gga: type = .gga
    case .gll: type = .gll
    case .gns: type = .gns
    case .vtg: type = .vtg
    case .zda: type = .zda
    case .gst: type = .gst
    case .gsa: type = .gsa
    case .gsv(let gsv):
      guard gsv.part == gsv.parts else { return nil }
      type = .gsv
    case .pubx00: type = .pubx00
    case .psrfepe: type = .psrfepe
    case .pgrme: type = .pgrme
    default: return nil
    }
    code = type.code
    self.talker = talker
  }
}
