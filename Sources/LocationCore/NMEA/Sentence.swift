/// A decoded sentence.
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
  case gbs(GBS)
  case grs(GRS)
  case dtm(DTM)
  case txt(TXT)
  case hdt(HDT)
  case ths(THS)
  case pubx00(PUBX00)
  case pubx03(PUBX03)
  case pubx04(PUBX04)
  case pgrme(PGRME)
  case pgrmz(PGRMZ)
  case pmtk(PMTK)
  case psti030(PSTI030)
  case ptnlGGK(PTNLGGK)
  case psrfepe(PSRFEPE)
  /// Begins with `!`: encapsulated payload of another protocol (AIS), not decoded.
  case encapsulated
  /// Well-formed, of a type that is not decoded; its fields are available in the event.
  case unknown
}

/// Type of a sentence: the letters after the talker (`RMC`) or the address of a proprietary sentence (`PGRME`), with
/// its first field if that identifies the message (`PUBX,00`).
package struct SentenceType: Hashable, Sendable, CustomStringConvertible {
  /// Up to eight ASCII characters, packed big-endian and right-aligned; longer addresses are truncated.
  package let code: UInt64

  package init(code: UInt64) {
    self.code = code
  }

  /// No address.
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

  /// The characters.
  package var description: String { SentenceAddress.unpack(code) }
}

/// Talker identifier: the two letters before the sentence type, `GP`, `GN` ….
package struct Talker: Hashable, Sendable, CustomStringConvertible {
  /// The two letters packed big-endian; 0 for a proprietary sentence.
  package let code: UInt16

  package init(code: UInt16) {
    self.code = code
  }

  /// The letters; empty for a proprietary sentence.
  package var description: String { SentenceAddress.unpack(UInt64(code)) }
}
