struct EpochContent: Sendable {
  /// Types of sentences and UBX messages of which an epoch keeps one; of HDT and THS the newest.
  enum Kind: Int, CaseIterable {
    case rmc, gga, gll, gns, vtg, zda, gst, pubx00, psrfepe, pgrme, hdt, ths
    // Of UBX.
    case pvt, sol, posllh, velned, status, timegps, timeutc, dop

    /// Whether the type carries a solution. The others never form an epoch by themselves.
    var isSolution: Bool { EpochContent.solutions & 1 << rawValue != 0 }
    /// Without a time, it may begin the burst of an epoch. PGRME has none, too, but comes behind the solution.
    var mayPrecede: Bool { self == .vtg }
  }

  /// UTC time of day of the sentence that opened the epoch; `nil` when it carries none.
  var key: TimeOfDay?
  /// Monotonic instant of the last byte that the fix needs.
  var received = MonotonicInstant.zero
  /// The start of the burst of bytes with its first solution sentence, if that is known.
  var began: MonotonicInstant?
  private(set) var rmc: RMC?
  private(set) var gga: GGA?
  private(set) var gll: GLL?
  private(set) var gns: GGA?
  private(set) var vtg: VTG?
  private(set) var zda: ZDA?
  private(set) var gst: GST?
  private(set) var pubx00: MakersErrors?
  private(set) var psrfepe: MakersErrors?
  private(set) var pgrme: MakersErrors?
  /// The newest heading of HDT or THS; `nil` also if the receiver states that it has none.
  @Compact private(set) var heading: Double?
  /// The combined content of the GSA sentences; `nil` without any.
  private(set) var active: ActiveSatellites?
  private(set) var ubx = UBXSolution()
  /// Talkers of each kind received, an element for each bit of `kinds`. Several systems may send the same kind.
  private var talkers = [32 of UInt16](repeating: 0)
  /// The kinds received, one bit each.
  private(set) var kinds: UInt32 = 0

  /// Clears the content in place, which avoids a copy per epoch.
  mutating func removeAll() {
    key = nil
    received = .zero
    began = nil
    rmc = nil
    gga = nil
    gll = nil
    gns = nil
    vtg = nil
    zda = nil
    gst = nil
    pubx00 = nil
    psrfepe = nil
    pgrme = nil
    heading = nil
    active = nil
    if kinds & Self.ubxKinds != 0 { ubx = UBXSolution() }
    kinds = 0
  }

  @inline(__always) func has(_ kind: Kind) -> Bool { kinds & 1 << kind.rawValue != 0 }
  @inline(__always)
  func has(_ kind: Kind, from talker: Talker) -> Bool { has(kind) && talkers[kind.rawValue] == talker.code }

  /// Whether a solution sentence was received; an epoch without one is not published.
  @inline(__always) var hasSolution: Bool { kinds & Self.solutions != 0 }

  private static let solutions: UInt32 =
    1 << Kind.rmc.rawValue | 1 << Kind.gga.rawValue | 1 << Kind.gll.rawValue | 1 << Kind.gns.rawValue
    | 1 << Kind.pvt.rawValue | 1 << Kind.sol.rawValue | 1 << Kind.posllh.rawValue
  private static let ubxKinds: UInt32 = 0xFF << Kind.pvt.rawValue

  @inline(__always) var date: CalendarDate? { ubx.date ?? zda?.date ?? rmc?.date }

  /// `nil` for a sentence that is not part of an epoch, and for those that repeat in it: GSA, HDT, THS.
  @inline(__always) static func part(_ sentence: Sentence) -> (kind: Kind, time: TimeOfDay?)? {
    switch sentence {
    case .rmc(let rmc): (.rmc, rmc.time)
    case .gga(let gga): (.gga, gga.time)
    case .gll(let gll): (.gll, gll.time)
    case .gns(let gns): (.gns, gns.time)
    case .vtg: (.vtg, nil)
    case .zda(let zda): (.zda, zda.time)
    case .gst(let gst): (.gst, gst.time)
    case .pubx00(let pubx00): (.pubx00, pubx00.time)
    case .psrfepe(let psrfepe): (.psrfepe, psrfepe.time)
    case .pgrme: (.pgrme, nil)
    default: nil
    }
  }

  /// Adds a sentence of a kind. Of two that differ only in the talker, the combined one (GN) or else the first is kept.
  mutating func add(_ sentence: Sentence, _ kind: Kind, from talker: Talker) {
    guard !has(kind) || talker == Talker("G", "N") else { return }
    kinds |= 1 << kind.rawValue
    talkers[kind.rawValue] = talker.code
    switch sentence {
    case .rmc(let rmc): self.rmc = rmc
    case .gga(let gga): self.gga = gga
    case .gll(let gll): self.gll = gll
    case .gns(let gns): self.gns = gns
    case .vtg(let vtg): self.vtg = vtg
    case .zda(let zda): self.zda = zda
    case .gst(let gst): self.gst = gst
    case .pubx00(let pubx00): self.pubx00 = pubx00
    case .psrfepe(let psrfepe): self.psrfepe = psrfepe
    case .pgrme(let pgrme): self.pgrme = pgrme
    default: break
    }
  }

  /// Adds a UBX message. Returns whether one of its values is out of range.
  mutating func add(_ frame: UBXFrame, _ kind: Kind) -> Bool {
    kinds |= 1 << kind.rawValue
    talkers[kind.rawValue] = 0
    if let time = frame.timeOfWeek { ubx.timeOfWeek = Int(time) }
    let isOutOfRange = ubx.add(frame)
    if let time = ubx.timeOfDay { key = time }
    return isOutOfRange
  }

  mutating func add(heading: Double?, _ kind: Kind) {
    kinds |= 1 << kind.rawValue
    self.heading = heading
  }

  /// Whether the receiver has stated its heading, or that it has none.
  var statesHeading: Bool { kinds & (1 << Kind.hdt.rawValue | 1 << Kind.ths.rawValue) != 0 }

  /// What GSA states, with the dilutions of UBX, and that of GGA or GNS where both lack it. In place, as `needs`.
  mutating func dilutions() -> ActiveSatellites? {
    let hdop = ubx.hdop ?? active?.hdop ?? gga?.hdop ?? gns?.hdop
    guard hdop != active?.hdop || ubx.pdop != nil || ubx.vdop != nil else { return active }
    var all = active ?? ActiveSatellites()
    all.put(pdop: ubx.pdop, hdop: hdop, vdop: ubx.vdop)
    return all
  }

  mutating func add(_ gsa: GSA) {
    var active = active ?? ActiveSatellites()
    active.add(gsa)
    self.active = active
  }

  /// Whether a sentence can contribute to the fix. GSV never does; GLL, VTG and ZDA mostly repeat RMC. An epoch waits
  /// for none of those: at 9600 bit/s they take half of the time. Called in place, as `EpochAssembler.step`.
  mutating func needs(_ sentence: Sentence) -> Bool {
    switch sentence {
    case .gsv: return false
    case .gll(let gll):
      return Kind.gll.isNeeded(besides: kinds)
        || gll.position != nil && ubx.position == nil && gga?.position == nil && gns?.position == nil
          && rmc?.position == nil
    case .vtg(let vtg):
      guard let rmc else { return Kind.vtg.isNeeded(besides: kinds) }
      return (rmc.speed == nil && vtg.speed != nil) || (rmc.course == nil && vtg.course != nil)
    case .zda(let zda):
      guard let rmc else { return Kind.zda.isNeeded(besides: kinds) }
      return rmc.date == nil && zda.date != nil
    default: return true
    }
  }
}

extension EpochContent.Kind {
  func isNeeded(besides kinds: UInt32) -> Bool {
    func has(_ kind: Self) -> Bool { kinds & 1 << kind.rawValue != 0 }
    switch self {
    case .gll: return !has(.rmc) && !has(.gga) && !has(.gns) && !has(.pvt)
    case .vtg, .zda: return !has(.rmc) && !has(.pvt)
    case .sol, .posllh, .velned, .status, .timeutc: return !has(.pvt)
    case .timegps: return !has(.pvt) && !has(.timeutc)
    case .rmc, .gga, .gns, .gst, .pubx00, .psrfepe, .pgrme, .hdt, .ths, .pvt, .dop: return true
    }
  }
}

extension UBXType {
  @inline(__always) var kind: EpochContent.Kind? {
    switch self {
    case .navPVT: .pvt
    case .navSOL: .sol
    case .navPOSLLH: .posllh
    case .navVELNED: .velned
    case .navSTATUS: .status
    case .navTIMEGPS: .timegps
    case .navTIMEUTC: .timeutc
    case .navDOP: .dop
    case .navSVINFO, .navSAT, .navEOE, .monHW, .monRF, .monSYS, .secSIG: nil
    }
  }
}
