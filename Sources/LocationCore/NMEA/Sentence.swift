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
  /// Begins with `!`: another protocol's payload in NMEA's dress (AIS). Passed by.
  case encapsulated
  /// Well-formed, of a type that is not decoded; its fields are reachable through the event.
  case unknown
}
