/// What became of a line whose checksum holds.
enum DecodingOutcome {
  case decoded
  case unknown
  case encapsulated
  case tooFewFields
}

extension Workspace {
  /// Makes the payload the sentence of that type; leaves it when there are too few fields or the type is unknown.
  @inline(__always)
  func decode(_ type: SentenceType, _ field: inout FieldCursor) -> DecodingOutcome {
    switch type {
    case .rmc where field.count >= RMC.fieldCount: payload.pointee = .sentence(.rmc(RMC(&field)))
    case .gga where field.count >= GGA.fieldCount: payload.pointee = .sentence(.gga(GGA(&field)))
    case .gsv where field.count >= GSV.fieldCount: payload.pointee = .sentence(.gsv(GSV(&field)))
    case .gsa where field.count >= GSA.fieldCount: payload.pointee = .sentence(.gsa(GSA(&field)))
    case .gll where field.count >= GLL.fieldCount: payload.pointee = .sentence(.gll(GLL(&field)))
    case .vtg where field.count >= VTG.fieldCount: payload.pointee = .sentence(.vtg(VTG(&field)))
    case .zda where field.count >= ZDA.fieldCount: payload.pointee = .sentence(.zda(ZDA(&field)))
    case .gns where field.count >= GNS.fieldCount: payload.pointee = .sentence(.gns(GNS(&field)))
    case .gst where field.count >= GST.fieldCount: payload.pointee = .sentence(.gst(GST(&field)))
    case .rmc, .gga, .gsv, .gsa, .gll, .vtg, .zda, .gns, .gst, .none: return .tooFewFields
    default: return decode(rare: type, &field)
    }
    return .decoded
  }

  /// The types that a stream has few of, out of the way of the others.
  @inline(never)
  private func decode(rare type: SentenceType, _ field: inout FieldCursor) -> DecodingOutcome {
    switch type {
    case .gbs where field.count >= GBS.fieldCount: payload.pointee = .sentence(.gbs(GBS(&field)))
    case .grs where field.count >= GRS.fieldCount: payload.pointee = .sentence(.grs(GRS(&field)))
    case .dtm where field.count >= DTM.fieldCount: payload.pointee = .sentence(.dtm(DTM(&field)))
    case .txt where field.count >= TXT.fieldCount: payload.pointee = .sentence(.txt(TXT(&field)))
    case .hdt where field.count >= HDT.fieldCount: payload.pointee = .sentence(.hdt(HDT(&field)))
    case .ths where field.count >= THS.fieldCount: payload.pointee = .sentence(.ths(THS(&field)))
    case .pubx00 where field.count >= PUBX00.fieldCount: payload.pointee = .sentence(.pubx00(PUBX00(&field)))
    case .pubx03 where field.count >= PUBX03.fieldCount: payload.pointee = .sentence(.pubx03(PUBX03(&field)))
    case .pubx04 where field.count >= PUBX04.fieldCount: payload.pointee = .sentence(.pubx04(PUBX04(&field)))
    case .pgrme where field.count >= PGRME.fieldCount: payload.pointee = .sentence(.pgrme(PGRME(&field)))
    case .pgrmz where field.count >= PGRMZ.fieldCount: payload.pointee = .sentence(.pgrmz(PGRMZ(&field)))
    case .pmtk where field.count >= PMTK.fieldCount: payload.pointee = .sentence(.pmtk(PMTK(&field)))
    case .psti030 where field.count >= PSTI030.fieldCount: payload.pointee = .sentence(.psti030(PSTI030(&field)))
    case .ptnlGGK where field.count >= PTNLGGK.fieldCount: payload.pointee = .sentence(.ptnlGGK(PTNLGGK(&field)))
    case .psrfepe where field.count >= PSRFEPE.fieldCount: payload.pointee = .sentence(.psrfepe(PSRFEPE(&field)))
    case .pqgsv where field.count >= GSV.fieldCount: payload.pointee = .sentence(.gsv(GSV(&field)))
    case .gbs, .grs, .dtm, .txt, .hdt, .ths, .pubx00, .pubx03, .pubx04, .pgrme, .pgrmz, .psti030, .ptnlGGK,
      .psrfepe, .pqgsv:
      return .tooFewFields
    default: return .unknown
    }
    return .decoded
  }
}
