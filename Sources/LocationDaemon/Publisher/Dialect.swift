/// What a socket speaks.
package enum Dialect: Hashable, Sendable {
  /// gpsd's protocol with this daemon's additions.
  case handlebar
  /// gpsd's protocol; additions only for a client that asks for them.
  case gpsd
  /// The leading source's sentences and nothing else, one way.
  case nmea
}
