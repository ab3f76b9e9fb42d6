import LocationCore

/// The position of a renderer's view, `?VIEW={…}`.
public struct ViewRequest: Hashable, Sendable {
  /// Name of the view, 1 to 64 bytes.
  public var view: String
  /// The map point under the home pixel of the position marker.
  public var position: Coordinate
  /// Number of the fix that the view was showing.
  public var seq: UInt64?
  /// What moved the view; `nil` when unknown.
  public var cause: ViewCause?

  /// A report of a view's position.
  public init(view: String = "main", position: Coordinate, seq: UInt64? = nil, cause: ViewCause? = nil) {
    self.view = view
    self.position = position
    self.seq = seq
    self.cause = cause
  }

  init(_ fields: RequestFields) throws(RequestError) {
    try fields.allowOnly("view", "lat", "lon", "seq", "cause")
    let view = try fields.string("view", bytes: 1...64)
    self.init(view: view ?? Request.defaultView, position: try fields.coordinate(), seq: try fields.whole("seq"))
    guard let text = try fields.string("cause", bytes: 0...64) else { return }
    guard let cause = ViewCause(rawValue: text) else {
      throw fields.outOfRange("cause", "one of \(ViewCause.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    self.cause = cause
  }

  func writeFields(into line: inout JSONLine) {
    line.field("view", view)
    line.field(position)
    line.field("seq", seq)
    line.field("cause", cause?.rawValue)
  }
}

/// A place to watch for arrival, `?TARGET={…}`.
package struct TargetRequest: Hashable, Sendable {
  /// Name, 1 to 64 bytes; the same name again replaces the target.
  package var name: String
  /// The place.
  package var position: Coordinate
  /// Metres, 1 to 10,000; `nil` is 100.
  package var radius: Double?
  /// Whether the target stays when the connection ends.
  package var isPersistent: Bool

  package init(name: String, position: Coordinate, radius: Double? = nil, isPersistent: Bool = false) {
    self.name = name
    self.position = position
    self.radius = radius
    self.isPersistent = isPersistent
  }

  func writeFields(into line: inout JSONLine) {
    line.field("name", name)
    line.field(position)
    line.field("radius", radius, decimals: 3)
    line.field("persistent", isPersistent ? true : nil)
  }
}

extension JSONLine {
  fileprivate mutating func field(_ position: Coordinate) {
    field("lat", position.latitude, decimals: 9)
    field("lon", position.longitude, decimals: 9)
  }
}
