/// The sentences of one epoch, by type.
struct EpochContent: Sendable {
  /// UTC time of day of the sentence that opened the epoch; `nil` before one with a time has come.
  var key: TimeOfDay?
  /// Monotonic instant of the last byte.
  var received = MonotonicInstant.zero
  /// The longest pause between two sentences that are known to belong together, nanoseconds.
  var longestPause: Int64 = 0

  var rmc: RMC?
  var gga: GGA?
  var gll: GLL?
  var gns: GNS?
  var vtg: VTG?
  var zda: ZDA?
  var gst: GST?
  var active: ActiveSatellites?

  /// Who sent which type, so that a second one is told from a repetition.
  private var talkers = [7 of UInt16](repeating: 0)

  /// Types that an epoch has once, GSA and GSV being the others.
  enum Kind: Int {
    case rmc, gga, gll, gns, vtg, zda, gst
  }

  /// Whether a sentence of this type and talker has come already.
  func has(_ kind: Kind, from talker: Talker) -> Bool {
    holds(kind) && talkers[kind.rawValue] == talker.code
  }

  /// Whether a sentence came that says something about a solution. Without one there is no epoch to tell of.
  var hasSolution: Bool { rmc != nil || gga != nil || gll != nil || gns != nil }

  /// The date as the receiver states it.
  var date: CalendarDate? { zda?.date ?? rmc?.date }

  /// Takes a sentence in. Of two that differ in the talker alone, the first is kept, unless the second is of
  /// all systems together (GN).
  mutating func add(_ sentence: borrowing Sentence, _ kind: Kind, from talker: Talker) {
    guard !holds(kind) || talker == .combined else { return }
    talkers[kind.rawValue] = talker.code
    switch sentence {
    case .rmc(let rmc): self.rmc = rmc
    case .gga(let gga): self.gga = gga
    case .gll(let gll): self.gll = gll
    case .gns(let gns): self.gns = gns
    case .vtg(let vtg): self.vtg = vtg
    case .zda(let zda): self.zda = zda
    case .gst(let gst): self.gst = gst
    case .gsa, .gsv, .unknown: break
    }
  }

  private func holds(_ kind: Kind) -> Bool {
    switch kind {
    case .rmc: rmc != nil
    case .gga: gga != nil
    case .gll: gll != nil
    case .gns: gns != nil
    case .vtg: vtg != nil
    case .zda: zda != nil
    case .gst: gst != nil
    }
  }
}

extension Talker {
  /// GN: a solution of several systems.
  fileprivate static let combined = Talker(code: 0x474E)
}
