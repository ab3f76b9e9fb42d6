import LocationCore

/// The newest of every source as it came over the wire (gpsd's class `POLL`).
public struct POLL: Hashable, Sendable, Decodable {
  /// UTC of the answer.
  public var time: UTCInstant?
  /// Sources that are open.
  public var active: Int
  /// One for each source.
  public var tpv: [TPV]
  /// One for each source that reported satellites.
  public var sky: [SKY]
}
