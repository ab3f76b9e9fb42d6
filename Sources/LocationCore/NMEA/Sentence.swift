package enum Sentence: Hashable, Sendable {
  case rmc(RMC)
  case gga(GGA)
  case gll(GLL)
  case gns(GNS)
  case vtg(VTG)
  case zda(ZDA)
  case gst(GST)
  case gsa(GSA)
  case gsv(GSV)
  case hdt(HDT)
  case ths(THS)
  case pubx00(PUBX00)
  case pgrme(PGRME)
  case psrfepe(PSRFEPE)
  /// Of a type that never contributes to a fix; ``SentenceValues`` has its values.
  case other
  /// Begins with `!`: encapsulated payload of another protocol (AIS), not decoded.
  case encapsulated
  /// Well-formed, of a type that is not decoded; its fields are available in the event.
  case unknown
}

extension SentenceSource {
  /// Decodes the fields as a sentence of a type into `payload`, unless the type is unknown or fields are missing.
  @inline(__always)
  func decode(_ type: SentenceType, into payload: UnsafeMutablePointer<NMEAEvent.Payload>) -> DecodingOutcome {
    switch type {
    case .rmc: store(RMC.fieldCount, payload) { .rmc(RMC($0)) }
    case .gga: store(GGA.fieldCount, payload) { .gga(GGA($0)) }
    case .gsv: store(GSV.fieldCount, payload) { .gsv(GSV($0)) }
    case .gsa: store(GSA.fieldCount, payload) { .gsa(GSA($0)) }
    case .gll: store(GLL.fieldCount, payload) { .gll(GLL($0)) }
    case .vtg: store(VTG.fieldCount, payload) { .vtg(VTG($0)) }
    case .zda: store(ZDA.fieldCount, payload) { .zda(ZDA($0)) }
    case .gns: store(GNS.fieldCount, payload) { .gns(GNS($0)) }
    case .gst: store(GST.fieldCount, payload) { .gst(GST($0)) }
    case .none: .tooFewFields
    default: decodeRare(type, into: payload)
    }
  }

  /// Less frequent types, outside the hot path.
  @inline(never) private func decodeRare(
    _ type: SentenceType, into payload: UnsafeMutablePointer<NMEAEvent.Payload>
  ) -> DecodingOutcome {
    switch type {
    case .hdt: return store(HDT.fieldCount, payload) { .hdt(HDT($0)) }
    case .ths: return store(THS.fieldCount, payload) { .ths(THS($0)) }
    case .pubx00: return store(PUBX00.fieldCount, payload) { .pubx00(PUBX00($0)) }
    case .pgrme: return store(PGRME.fieldCount, payload) { .pgrme(PGRME($0)) }
    case .psrfepe: return store(PSRFEPE.fieldCount, payload) { .psrfepe(PSRFEPE($0)) }
    case .pqgsv: return store(GSV.fieldCount, payload) { .gsv(GSV($0)) }
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
  case encapsulated
  case tooFewFields
}

/// Type: letters after the talker (`RMC`) or proprietary address (`PGRME`), with an identifying field (`PUBX,00`).
package struct SentenceType: Hashable, Sendable, CustomStringConvertible {
  /// Up to eight ASCII characters, packed big-endian and right-aligned; longer addresses are truncated.
  package let code: UInt64

  package static let none = SentenceType(code: 0)
  package static let rmc = SentenceType(code: 0x52_4D43)
  package static let gga = SentenceType(code: 0x47_4741)
  package static let gll = SentenceType(code: 0x47_4C4C)
  package static let gns = SentenceType(code: 0x47_4E53)
  package static let vtg = SentenceType(code: 0x56_5447)
  package static let zda = SentenceType(code: 0x5A_4441)
  package static let gst = SentenceType(code: 0x47_5354)
  package static let gsa = SentenceType(code: 0x47_5341)
  package static let gsv = SentenceType(code: 0x47_5356)
  package static let gbs = SentenceType(code: 0x47_4253)
  package static let grs = SentenceType(code: 0x47_5253)
  package static let dtm = SentenceType(code: 0x44_544D)
  package static let txt = SentenceType(code: 0x54_5854)
  package static let hdt = SentenceType(code: 0x48_4454)
  package static let ths = SentenceType(code: 0x54_4853)
  package static let pubx00 = SentenceType(code: 0x50_5542_582C_3030)
  package static let pubx03 = SentenceType(code: 0x50_5542_582C_3033)
  package static let pubx04 = SentenceType(code: 0x50_5542_582C_3034)
  package static let pgrme = SentenceType(code: 0x50_4752_4D45)
  package static let pgrmz = SentenceType(code: 0x50_4752_4D5A)
  package static let pmtk = SentenceType(code: 0x504D_544B)
  package static let psti030 = SentenceType(code: 0x5053_5449_2C30_3330)
  package static let ptnlGGK = SentenceType(code: 0x5054_4E4C_2C47_474B)
  package static let psrfepe = SentenceType(code: 0x50_5352_4645_5045)
  package static let pqgsv = SentenceType(code: 0x50_5147_5356)

  package var description: String { SentenceAddress.unpack(code) }
}

/// Talker identifier: the two letters before the sentence type, `GP`, `GN` ….
package struct Talker: Hashable, Sendable, CustomStringConvertible {
  /// The two letters packed big-endian; 0 for a proprietary sentence.
  package let code: UInt16

  /// The letters; empty for a proprietary sentence.
  package var description: String { SentenceAddress.unpack(UInt64(code)) }
}
