/// Why a view stands where it reports; the raw values are the protocol's `cause`.
public enum ViewCause: String, Hashable, Sendable, CaseIterable {
  /// A person moved the map.
  case user
  /// The camera tracks the fix.
  case follow
  /// The map zoomed.
  case zoom
  /// The map turned.
  case rotate
  /// The window changed its size.
  case resize
}

/// Where a renderer says that its view stands.
package struct ViewReport: Hashable, Sendable {
  /// The view's name.
  package var view: String
  /// The map point under the position marker's home pixel. With look-ahead that is not the centre of the map:
  /// on a common screen at zoom 15 the two are 1 km apart.
  package var coordinate: Coordinate
  /// The `seq` of the fix that the view was showing.
  package var seq: UInt64?
  /// Why the view stands there; `nil` = unstated.
  package var cause: ViewCause?
  /// The renderer's own number of this report, rising; a lower or equal one is an old report.
  package var order: UInt64?

  package init(view: String, coordinate: Coordinate, seq: UInt64? = nil, cause: ViewCause? = nil, order: UInt64? = nil)
  {
    self.view = view
    self.coordinate = coordinate
    self.seq = seq
    self.cause = cause
    self.order = order
  }

  /// Whether the report can disengage: a map that turns or zooms by itself is not a rider looking elsewhere.
  var mayDisengage: Bool { cause == nil || cause == .user }
}
