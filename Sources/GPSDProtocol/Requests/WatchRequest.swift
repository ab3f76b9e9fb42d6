/// A change of subscription, `?WATCH={…}`. What is `nil` was not said and stays as it is.
///
/// gpsd's `scaled`, `timing`, `split24`, `pps` and `remote` are read over: there is nothing here that they could change.
package struct WatchRequest: Hashable, Sendable {
  /// Whether to stream at all; true when it was not said.
  package var enable = true
  /// Reports as JSON.
  package var json: Bool?
  /// Sentences.
  package var nmea: Bool?
  /// The receiver's bytes: 0 off.
  package var raw: Int?
  /// Only this device; empty: all devices again.
  package var device: String?
  /// Metres between delivered fixes, 0 to 1,000,000; 0 = every fix.
  package var distanceFilter: Double?
  /// Seconds, 0 (never) or 0.1 to 86,400.
  package var heartbeat: Double?
  /// Whether this client understands the additions to gpsd's protocol.
  package var handlebar: Bool?

  package init() {}
}
