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
  /// Well-formed, of a type that is not decoded; its fields are reachable through the raw bytes.
  case unknown
}
