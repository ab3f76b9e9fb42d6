/// What a receiver states about itself: jamming, spoofing, antenna, datum, overflows and starts. No fix is dropped for it.
package struct Interference: Hashable, Sendable {
  /// The raw values are u-blox's, Airoha's and Quectel's.
  package enum Jamming: UInt8, Hashable, Sendable {
    case unknown, ok, warning, critical
  }

  /// The raw values are u-blox's.
  package enum Spoofing: UInt8, Hashable, Sendable {
    case unknown, none, indicated, multiple
  }

  /// In the order of severity; the raw values are Quectel's.
  package enum Antenna: UInt8, Hashable, Sendable {
    case unknown, ok, open, short

    /// By u-blox's numbers, from `INIT` on.
    fileprivate init(ublox number: UInt8) {
      self =
        switch number {
        case 2: .ok
        case 3: .short
        case 4: .open
        default: .unknown
        }
    }
  }

  /// Why a receiver has started; the raw values are u-blox's.
  package enum ResetReason: UInt8, Hashable, Sendable {
    case coldStart = 1
    case watchdog, hardwareReset, hardwareBackup, softwareBackup, softwareReset
    // Of its supplies.
    case vioFailure, vddxFailure, vddrfFailure, coreFailure
    case systemReset
  }

  /// What states the antenna, or jamming.
  enum Source: String {
    case monHW = "MON-HW"
    case monRF = "MON-RF"
    case inf = "INF"
    case txt = "TXT"
    case pgtop = "PGTOP"
    case pcd = "PCD"
    case pqtm = "PQTMANTENNASTATUS"
    case pstm = "PSTMANTENNASTATUS"
    case pairSPF = "PAIRSPF"
    case pqtmJamming = "PQTMJAMMINGSTATUS"
  }

  /// How often the receiver had more to send than its line took, and how often it has started.
  var overflows: UInt32 = 0
  var starts: UInt32 = 0
  /// Of its last start, by MON-SYS; `nil` until it states that, also after a further start.
  package internal(set) var resetReason: ResetReason?
  var antennaState: Antenna?
  var antennaSource = Source.txt
  /// The code of the newest DTM, packed; 0 for WGS 84.
  var datumCode: UInt64 = 0
  var hardwareSource = Source.monHW
  var hardwareJamming: Jamming?
  /// Of L5, which Airoha's receivers state apart.
  var secondJamming: Jamming?
  private var securityJamming: Jamming?
  private var statusSpoofing: Spoofing?
  private var securitySpoofing: Spoofing?

  /// The worse of SEC-SIG and the newest of MON-HW, MON-RF and sentences, and the message; `nil` without any.
  package var jamming: (state: Jamming, source: String)? {
    let bands = Self.worse(secondJamming, hardwareJamming, of: "")?.state
    return Self.worse(securityJamming, bands, of: hardwareSource.rawValue)
  }

  /// The worse statement of NAV-STATUS and of SEC-SIG, and the message; `nil` without any.
  package var spoofing: (state: Spoofing, source: String)? {
    Self.worse(securitySpoofing, statusSpoofing, of: UBXType.navSTATUS.name)
  }

  /// The newest statement about the antenna, and the message; `nil` without any.
  package var antenna: (state: Antenna, source: String)? { antennaState.map { ($0, antennaSource.rawValue) } }

  /// The states by their names, each `nil` without a statement.
  package var states: [(name: StaticString, word: String?)] {
    [
      ("jamming", jamming.map { "\($0.state)" }), ("spoofing", spoofing.map { "\($0.state)" }),
      ("antenna", antenna.map { "\($0.state)" }),
    ]
  }

  private static func worse<State: RawRepresentable<UInt8>>(
    _ security: State?, _ other: State?, of source: String
  ) -> (state: State, source: String)? {
    guard let security, security.rawValue >= other?.rawValue ?? 0 else { return other.map { ($0, source) } }
    return (security, UBXType.secSIG.name)
  }

  mutating func take(_ frame: UBXFrame) {
    switch frame.type {
    case .monHW:
      put(frame.u1(22) >> 2 & 3, .monHW, in: \.hardwareJamming)
      put(Antenna(ublox: frame.u1(20)), .monHW)
    case .monRF:
      // The worst of the bands.
      let bands = stride(from: 4, to: frame.count, by: (frame.count - 4) / Int(frame.u1(1)))
      put(bands.map { frame.u1($0 + 1) & 3 }.max(), .monRF, in: \.hardwareJamming)
      put(bands.map { Antenna(ublox: frame.u1($0 + 2)) }.max { $0.rawValue < $1.rawValue }, .monRF)
    case .monSYS where frame.u1(0) == 1: resetReason = ResetReason(rawValue: frame.u1(1))
    case .navSTATUS: statusSpoofing = Spoofing(rawValue: frame.u1(7) >> 3 & 3)
    case .secSIG where frame.u1(0) == 1:
      securityJamming = Jamming(rawValue: frame.u1(4) >> 1 & 3)
      securitySpoofing = Spoofing(rawValue: frame.u1(8) >> 1 & 7)
    case .secSIG:
      securityJamming = Jamming(rawValue: frame.u1(1) >> 1 & 3)
      securitySpoofing = Spoofing(rawValue: frame.u1(1) >> 4 & 7)
    default: break
    }
  }

  mutating func put(_ state: Antenna?, _ source: Source) {
    if let state { (antennaState, antennaSource) = (state, source) }
  }

  mutating func put(_ number: UInt8?, _ source: Source, in band: WritableKeyPath<Self, Jamming?>) {
    guard let state = number.flatMap({ Jamming(rawValue: $0) }) else { return }
    self[keyPath: band] = state
    hardwareSource = source
  }
}
