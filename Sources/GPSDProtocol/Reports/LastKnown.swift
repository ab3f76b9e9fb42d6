import LocationCore

/// The last known position, of this or of an earlier run of the daemon. It is part of a state or an error and never
/// reported as a new position.
public struct LastKnown: Hashable, Codable, Sendable {
  /// The place.
  public var coordinate: Coordinate
  /// Time since that fix was received; `nil` if it is of an earlier run and the time since then is not known.
  public var age: Duration?
  /// UTC time of that fix.
  public var time: UTCInstant?
  /// 95 % radius of the horizontal error, metres.
  public var horizontalAccuracy: Double?
  /// Number of that fix; `nil` if it is of an earlier run.
  public var seq: UInt64?
  /// Name of the source.
  public var source: String?

  /// A last known position with these values.
  public init(
    coordinate: Coordinate, age: Duration? = nil, time: UTCInstant? = nil, horizontalAccuracy: Double? = nil,
    seq: UInt64? = nil, source: String? = nil
  ) {
    self.coordinate = coordinate
    self.age = age
    self.time = time
    self.horizontalAccuracy = horizontalAccuracy
    self.seq = seq
    self.source = source
  }

  package init(_ published: PublishedFix, age: Duration?, source: String?) {
    self.init(
      coordinate: published.fix.position, age: age, time: published.fix.measured,
      horizontalAccuracy: published.fix.horizontalAccuracy, seq: published.seq, source: source)
  }

  /// The position in a JSON object, `nil` if it is none.
  package init?(json: [UInt8]) {
    let read = json.withUnsafeBufferPointer { bytes -> LastKnown? in
      guard var object = JSONObject(bytes) else { return nil }
      let read = LastKnown(&object)
      return object.fault == nil ? read : nil
    }
    guard let read else { return nil }
    self = read
  }

  init?(_ object: inout JSONObject) {
    var read: LastKnown?
    Self.fields(&read, &object)
    guard let read else { return nil }
    self = read
  }

  /// Codes the members of a position that may be missing. One without a place is none.
  static func fields(_ position: inout LastKnown?, _ coder: inout some FieldCoder) {
    var coordinate = position?.coordinate
    var fields = position ?? LastKnown(coordinate: .origin)
    coder.field("time", &fields.time)
    coder.field(&coordinate)
    coder.field("eph", &fields.horizontalAccuracy, decimals: 3)
    coder.field("seq", &fields.seq)
    coder.field("age", &fields.age, decimals: 3)
    coder.field("source", &fields.source)
    fields.coordinate = coordinate ?? .origin
    position = coordinate.map { _ in fields }
  }

  /// Writes the members, without braces.
  package func writeFields(into line: inout JSONLine) {
    var position: LastKnown? = self
    Self.fields(&position, &line)
  }
}
