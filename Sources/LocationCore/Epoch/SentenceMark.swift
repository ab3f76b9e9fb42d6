/// A place in an epoch's order of sentences: who says what.
struct SentenceMark: Hashable, Sendable {
  /// The letters of the type.
  let code: UInt64
  /// Who says it.
  let talker: Talker

  /// The mark of a sentence; `nil` for one that never adds anything to a fix.
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
    case .pubx00: type = .pubx00
    case .psrfepe: type = .psrfepe
    case .pgrme: type = .pgrme
    default: return nil
    }
    code = type.code
    self.talker = talker
  }
}
