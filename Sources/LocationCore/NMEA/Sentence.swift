/// A decoded sentence.
package enum Sentence: Sendable {
  case rmc(RMC)
  case gga(GGA)
  case gll(GLL)
  case gns(GNS)
  case vtg(VTG)
  case zda(ZDA)
  case gst(GST)
  case gsa(GSA)
  case gsv(GSV)
  /// Begins with `!`: another protocol's payload in NMEA's dress (AIS). Passed by.
  case encapsulated
  /// Well-formed, of a type that is not decoded; its fields are reachable through the event.
  case unknown

  /// The sentence of that type; `nil` when it has too few fields.
  @inline(__always)
  init?(_ type: SentenceType, _ field: inout FieldCursor) {
    switch type {
    case .rmc where field.count >= RMC.fieldCount: self = .rmc(RMC(&field))
    case .gga where field.count >= GGA.fieldCount: self = .gga(GGA(&field))
    case .gsv where field.count >= GSV.fieldCount: self = .gsv(GSV(&field))
    case .gsa where field.count >= GSA.fieldCount: self = .gsa(GSA(&field))
    case .gll where field.count >= GLL.fieldCount: self = .gll(GLL(&field))
    case .vtg where field.count >= VTG.fieldCount: self = .vtg(VTG(&field))
    case .zda where field.count >= ZDA.fieldCount: self = .zda(ZDA(&field))
    case .gns where field.count >= GNS.fieldCount: self = .gns(GNS(&field))
    case .gst where field.count >= GST.fieldCount: self = .gst(GST(&field))
    case .rmc, .gga, .gsv, .gsa, .gll, .vtg, .zda, .gns, .gst, .none: return nil
    default: self = .unknown
    }
  }
}
