/// Whether a view follows the rider (class `FOLLOW`): sent on every transition and when asked.
public struct FollowReport: Hashable, Sendable, Decodable {
  /// Name of the view.
  public var view: String
  /// True while the view follows.
  public var following: Bool
  /// Why it is in this state: `drift`, `requested` …
  public var reason: String?
  /// Metres between the view and the fix that it was showing, when that decided.
  public var distance: Double?
  /// Number of that fix.
  public var seq: UInt64?

  /// The state of a view.
  package init(view: String, following: Bool, reason: String? = nil, distance: Double? = nil, seq: UInt64? = nil) {
    self.view = view
    self.following = following
    self.reason = reason
    self.distance = distance
    self.seq = seq
  }

  /// Writes the whole line.
  package func write(into line: inout JSONLine) {
    line.begin("FOLLOW")
    line.field("view", view)
    line.field("following", following)
    line.field("reason", reason)
    line.field("distance", distance, decimals: 3)
    line.field("seq", seq)
    line.end()
  }
}
