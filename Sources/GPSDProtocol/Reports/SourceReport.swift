/// One configured source within a `STATUS`.
public struct SourceReport: Hashable, Sendable, Decodable {
  /// Name of the source.
  public var source: String
  /// Path of its device.
  public var device: String?
  /// Its state, as in `STATE`.
  public var state: String
  /// 2 or 3 while tracking.
  public var mode: Int?
  /// Bits per second of a serial line, once found.
  public var bps: Int?
  /// Kind of error, as in `STATE`.
  public var error: String?
  /// The error in words.
  public var message: String?
  /// What a person can do about it.
  public var remedy: String?

  /// A source in a state.
  package init(source: String, state: String) {
    self.source = source
    self.state = state
  }

  func object(into line: inout JSONLine) {
    line.beginObject()
    line.field("source", source)
    line.field("device", device)
    line.field("state", state)
    line.field("mode", mode)
    line.field("bps", bps)
    line.field("error", error)
    line.field("message", message)
    line.field("remedy", remedy)
    line.endObject()
  }
}
