package enum Sentence: Hashable, Sendable {
  case rmc(RMC)
  case gga(GGA)
  case gll(GLL)
  case gns(GGA)
  case vtg(VTG)
  case zda(ZDA)
  case gst(GST)
  case gsa(GSA)
  case gsv(GSV)
  case hdt(Heading)
  case ths(Heading)
  case pubx00(MakersErrors)
  case pgrme(MakersErrors)
  case psrfepe(MakersErrors)
  /// Of a type that never contributes to a fix; ``SentenceValues`` has its values.
  case other
  /// Well-formed, not decoded, or of another protocol (AIS, begins with `!`); the event has its fields.
  case unknown
}

extension SentenceSource {
  /// Decodes the fields into `payload`, unless the type is unknown or there are fewer fields than it has at least.
  @inline(__always)
  func decode(_ type: SentenceType, into payload: UnsafeMutablePointer<NMEAEvent.Payload>) -> DecodingOutcome {
    switch type {
    case .rmc: store(11, payload) { .rmc(RMC($0)) }
    case .gga: store(13, payload) { .gga(GGA($0, isGNS: false)) }
    case .gsv: store(3, payload) { .gsv(GSV($0)) }
    case .gsa: store(17, payload) { .gsa(GSA($0)) }
    case .gll: store(6, payload) { .gll(GLL($0)) }
    case .vtg: store(8, payload) { .vtg(VTG($0)) }
    case .zda: store(4, payload) { .zda(ZDA($0)) }
    case .gns: store(12, payload) { .gns(GGA($0, isGNS: true)) }
    case .gst: store(8, payload) { .gst(GST($0)) }
    case .none: .tooFewFields
    default: decodeRare(type, into: payload)
    }
  }

  /// Less frequent types, outside the hot path.
  @inline(never) private func decodeRare(
    _ type: SentenceType, into payload: UnsafeMutablePointer<NMEAEvent.Payload>
  ) -> DecodingOutcome {
    switch type {
    case .hdt: return store(1, payload) { .hdt(Heading(hdt: $0)) }
    case .ths: return store(2, payload) { .ths(Heading(ths: $0)) }
    case .pubx00: return store(20, payload) { .pubx00(MakersErrors(pubx00: $0)) }
    case .pgrme: return store(6, payload) { .pgrme(MakersErrors(pgrme: $0)) }
    case .psrfepe: return store(7, payload) { .psrfepe(MakersErrors(psrfepe: $0)) }
    case .pqgsv: return store(3, payload) { .gsv(GSV($0)) }
    case .pqgsa: return store(17, payload) { .gsa(GSA($0)) }
    default:
      payload.initialize(to: .sentence(.other))
      var field = reader
      return field.decodeOther(type)
    }
  }

  /// Stores a sentence in `payload`; it is decoded only if there are enough fields.
  @inline(__always) private func store(
    _ fewest: Int, _ payload: UnsafeMutablePointer<NMEAEvent.Payload>, _ sentence: (Self) -> Sentence
  ) -> DecodingOutcome {
    guard count >= fewest else { return .tooFewFields }
    payload.initialize(to: .sentence(sentence(self)))
    return .decoded
  }
}

enum DecodingOutcome {
  case decoded
  case unknown
  case tooFewFields
}

/// Type: letters after the talker (`RMC`) or proprietary address (`PGRME`), with an identifying field (`PUBX,00`).
package struct SentenceType: Hashable, Sendable, CustomStringConvertible {
  /// Up to eight ASCII characters, packed big-endian and right-aligned; longer addresses are truncated.
  package let code: UInt64

  package static let none = SentenceType(code: 0)
  package var description: String { SentenceAddress.unpack(code) }
}

extension SentenceType {
  /// The type of three to eight characters: a constant for the optimizer.
  @inline(__always)
  private init(
    _ first: Unicode.Scalar, _ second: Unicode.Scalar, _ third: Unicode.Scalar, _ fourth: Unicode.Scalar = "\0",
    _ fifth: Unicode.Scalar = "\0", _ sixth: Unicode.Scalar = "\0", _ seventh: Unicode.Scalar = "\0",
    _ eighth: Unicode.Scalar = "\0"
  ) {
    @inline(__always) func join(_ code: UInt64, _ next: Unicode.Scalar) -> UInt64 {
      next == "\0" ? code : code << 8 | UInt64(next.value)
    }
    let start = join(join(join(join(0, first), second), third), fourth)
    self.init(code: join(join(join(join(start, fifth), sixth), seventh), eighth))
  }

  package static var rmc: Self { Self("R", "M", "C") }
  package static var gga: Self { Self("G", "G", "A") }
  package static var gll: Self { Self("G", "L", "L") }
  package static var gns: Self { Self("G", "N", "S") }
  package static var vtg: Self { Self("V", "T", "G") }
  package static var zda: Self { Self("Z", "D", "A") }
  package static var gst: Self { Self("G", "S", "T") }
  package static var gsa: Self { Self("G", "S", "A") }
  package static var gsv: Self { Self("G", "S", "V") }
  package static var gbs: Self { Self("G", "B", "S") }
  package static var grs: Self { Self("G", "R", "S") }
  package static var dtm: Self { Self("D", "T", "M") }
  package static var txt: Self { Self("T", "X", "T") }
  package static var hdt: Self { Self("H", "D", "T") }
  package static var ths: Self { Self("T", "H", "S") }
  /// Unicore's `$command`, less two letters for a talker.
  package static var command: Self { Self("m", "m", "a", "n", "d") }
  package static var pubx00: Self { Self("P", "U", "B", "X", ",", "0", "0") }
  package static var pubx03: Self { Self("P", "U", "B", "X", ",", "0", "3") }
  package static var pubx04: Self { Self("P", "U", "B", "X", ",", "0", "4") }
  package static var pgrme: Self { Self("P", "G", "R", "M", "E") }
  package static var pgrmz: Self { Self("P", "G", "R", "M", "Z") }
  package static var pmtk: Self { Self("P", "M", "T", "K") }
  package static var psti030: Self { Self("P", "S", "T", "I", ",", "0", "3", "0") }
  package static var ptnlGGK: Self { Self("P", "T", "N", "L", ",", "G", "G", "K") }
  package static var psrfepe: Self { Self("P", "S", "R", "F", "E", "P", "E") }
  package static var pqgsv: Self { Self("P", "Q", "G", "S", "V") }
  package static var pqgsa: Self { Self("P", "Q", "G", "S", "A") }
  package static var pgtop: Self { Self("P", "G", "T", "O", "P") }
  package static var pcd: Self { Self("P", "C", "D") }
  package static var pqtmAntennaStatus: Self { Self("P", "Q", "T", "M", "A", "N", "T", "E") }
  static var pstmAntennaStatus: Self { Self("P", "S", "T", "M", "A", "N", "T", "E") }
  static var pqtmJamming: Self { Self("P", "Q", "T", "M", "J", "A", "M", "M") }
  static var pairSPF: Self { Self("P", "A", "I", "R", "S", "P", "F") }
  static var pairSPF5: Self { Self("P", "A", "I", "R", "S", "P", "F", "5") }
  /// Unicore's `$devicename,COM1`, behind its first two letters.
  static var deviceName: Self { Self("v", "i", "c", "e", "n", "a", "m", "e") }
}

/// Talker identifier: the two letters before the sentence type, `GP`, `GN` ….
package struct Talker: Hashable, Sendable, CustomStringConvertible {
  /// The two letters packed big-endian; 0 for a proprietary sentence.
  package let code: UInt16

  /// The letters; empty for a proprietary sentence.
  package var description: String { SentenceAddress.unpack(UInt64(code)) }
}

extension Talker {
  @inline(__always)
  init(_ first: Unicode.Scalar, _ second: Unicode.Scalar) {
    self.init(code: UInt16(first.value) << 8 | UInt16(second.value))
  }
}
