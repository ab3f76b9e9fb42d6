/// What the GSA sentences of an epoch say together.
struct ActiveSatellites: Sendable {
  /// The navigation mode: the fewest dimensions that a system reports. A system that takes no part says 1
  /// beside others that say 2 or 3, so 1 counts only when nothing else was said.
  private(set) var fix: GSAFix?
  /// Dilutions of precision, the last that were sent.
  @Compact private(set) var pdop: Double?
  @Compact private(set) var hdop: Double?
  @Compact private(set) var vdop: Double?

  /// Takes one more sentence in.
  mutating func add(_ gsa: GSA) {
    if let new = gsa.fix {
      switch (fix, new) {
      case (nil, _), (.noFix, _): fix = new
      case (.some, .noFix): break
      case (.some(let old), _): fix = old.rawValue < new.rawValue ? old : new
      }
    }
    pdop = gsa.pdop ?? pdop
    hdop = gsa.hdop ?? hdop
    vdop = gsa.vdop ?? vdop
  }
}
