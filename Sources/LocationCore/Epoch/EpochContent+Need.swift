extension EpochContent {
  /// Whether a sentence can add something to the fix of an epoch with this content. GSV never does, and GLL, VTG and
  /// ZDA mostly say again what RMC has said. An epoch waits for no such sentence: on a line of 9600 bit/s they
  /// take half of its time.
  func needs(_ sentence: Sentence) -> Bool {
    switch sentence {
    case .gsv: return false
    case .gll(let gll):
      return Kind.gll.isNeeded(besides: kinds) || (!hasPosition && gll.position != nil)
    case .vtg(let vtg):
      guard let rmc else { return true }
      return (rmc.speed == nil && vtg.speed != nil) || (rmc.course == nil && vtg.course != nil)
    case .zda(let zda):
      guard let rmc else { return true }
      return rmc.date == nil && zda.date != nil
    default: return true
    }
  }

  private var hasPosition: Bool { gga?.position != nil || gns?.position != nil || rmc?.position != nil }
}

extension EpochContent.Kind {
  /// Whether a fix needs it when these kinds have come too, each with all that it can tell.
  func isNeeded(besides kinds: UInt16) -> Bool {
    func has(_ kind: Self) -> Bool { kinds & 1 << kind.rawValue != 0 }
    switch self {
    case .gll: return !has(.rmc) && !has(.gga) && !has(.gns)
    case .vtg, .zda: return !has(.rmc)
    case .rmc, .gga, .gns, .gst, .pubx00, .psrfepe, .pgrme: return true
    }
  }
}
