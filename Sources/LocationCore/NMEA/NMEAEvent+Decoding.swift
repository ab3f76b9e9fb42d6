/// What became of a line whose checksum holds.
enum DecodingOutcome {
  case decoded
  case unknown
  case encapsulated
  case tooFewFields
}

extension NMEAEvent.Payload {
  /// Becomes the sentence of that type, in place; stays as it is when there are too few fields or the type is
  /// unknown.
  @inline(__always)
  mutating func decode(_ type: SentenceType, _ field: inout FieldCursor) -> DecodingOutcome {
    switch type {
    case .rmc where field.count >= RMC.fieldCount: self = .sentence(.rmc(RMC(&field)))
    case .gga where field.count >= GGA.fieldCount: self = .sentence(.gga(GGA(&field)))
    case .gsv where field.count >= GSV.fieldCount: self = .sentence(.gsv(GSV(&field)))
    case .gsa where field.count >= GSA.fieldCount: self = .sentence(.gsa(GSA(&field)))
    case .gll where field.count >= GLL.fieldCount: self = .sentence(.gll(GLL(&field)))
    case .vtg where field.count >= VTG.fieldCount: self = .sentence(.vtg(VTG(&field)))
    case .zda where field.count >= ZDA.fieldCount: self = .sentence(.zda(ZDA(&field)))
    case .gns where field.count >= GNS.fieldCount: self = .sentence(.gns(GNS(&field)))
    case .gst where field.count >= GST.fieldCount: self = .sentence(.gst(GST(&field)))
    case .rmc, .gga, .gsv, .gsa, .gll, .vtg, .zda, .gns, .gst, .none: return .tooFewFields
    default: return decode(rare: type, &field)
    }
    return .decoded
  }

  /// The types that a stream has few of, out of the way of the others.
  @inline(never)
  private mutating func decode(rare type: SentenceType, _ field: inout FieldCursor) -> DecodingOutcome {
    switch type {
    case .gbs where field.count >= GBS.fieldCount: self = .sentence(.gbs(GBS(&field)))
    case .grs where field.count >= GRS.fieldCount: self = .sentence(.grs(GRS(&field)))
    case .dtm where field.count >= DTM.fieldCount: self = .sentence(.dtm(DTM(&field)))
    case .txt where field.count >= TXT.fieldCount: self = .sentence(.txt(TXT(&field)))
    case .hdt where field.count >= HDT.fieldCount: self = .sentence(.hdt(HDT(&field)))
    case .ths where field.count >= THS.fieldCount: self = .sentence(.ths(THS(&field)))
    case .pubx00 where field.count >= PUBX00.fieldCount: self = .sentence(.pubx00(PUBX00(&field)))
    case .pubx03 where field.count >= PUBX03.fieldCount: self = .sentence(.pubx03(PUBX03(&field)))
    case .pubx04 where field.count >= PUBX04.fieldCount: self = .sentence(.pubx04(PUBX04(&field)))
    case .pgrme where field.count >= PGRME.fieldCount: self = .sentence(.pgrme(PGRME(&field)))
    case .pgrmz where field.count >= PGRMZ.fieldCount: self = .sentence(.pgrmz(PGRMZ(&field)))
    case .pmtk where field.count >= PMTK.fieldCount: self = .sentence(.pmtk(PMTK(&field)))
    case .psti030 where field.count >= PSTI030.fieldCount: self = .sentence(.psti030(PSTI030(&field)))
    case .ptnlGGK where field.count >= PTNLGGK.fieldCount: self = .sentence(.ptnlGGK(PTNLGGK(&field)))
    case .psrfepe where field.count >= PSRFEPE.fieldCount: self = .sentence(.psrfepe(PSRFEPE(&field)))
    case .pqgsv where field.count >= GSV.fieldCount: self = .sentence(.gsv(GSV(&field)))
    case .gbs, .grs, .dtm, .txt, .hdt, .ths, .pubx00, .pubx03, .pubx04, .pgrme, .pgrmz, .psti030, .ptnlGGK,
      .psrfepe, .pqgsv:
      return .tooFewFields
    default: return .unknown
    }
    return .decoded
  }
}
