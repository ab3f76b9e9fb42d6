import LocationCore

extension ViewRequest: CodedFields {
  package init() { self.init(coordinate: .origin) }

  package mutating func code(_ coder: inout some FieldCoder) {
    var name: String? = view
    coder.field("view", &name, bytes: 1...64)
    view = name ?? Request.defaultView
    coder.checkedField(&coordinate)
    coder.field("seq", &seq)
    let causes = "one of \(ViewCause.allCases.map(\.rawValue).joined(separator: ", "))"
    coder.field("cause", &cause, bytes: 0...64, causes)
  }
}

/// The follow state of a view or a change to it, `?FOLLOW={…}`.
struct FollowRequest: CodedFields {
  var view: String?
  var enable: Bool?
  /// With `restore`, the state before the daemon restarted.
  var following: Bool?
  var restore: Bool?

  var request: Request {
    if restore != nil, let following { return .restoreFollow(view: view ?? Request.defaultView, following: following) }
    return enable.map { .setFollow(view: view ?? Request.defaultView, enable: $0) } ?? .follow(view: view)
  }

  mutating func code(_ coder: inout some FieldCoder) {
    coder.field("view", &view, bytes: 1...64)
    coder.field("enable", &enable)
    coder.field("following", &following)
    coder.field("restore", &restore)
    if restore != nil, following == nil { coder.noteMissing("following") }
    if following != nil, restore == nil { coder.noteMissing("restore") }
    coder.check("restore", restore != false && (restore == nil || enable == nil), #"true, and without "enable""#)
  }
}

/// A place to watch for arrival, `?TARGET={…}`.
package struct TargetRequest: CodedFields {
  /// Name, 1 to 64 bytes; the same name again replaces the target.
  package var name: String
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

  package init() { self.init(name: "", position: .origin) }

  package mutating func code(_ coder: inout some FieldCoder) {
    coder.field("name", &name, bytes: 1...64)
    coder.checkedField(&position)
    coder.field("radius", &radius, decimals: 3, in: Target.radii)
    coder.ignore("enable")
    var persistent: Bool? = isPersistent ? true : nil
    coder.field("persistent", &persistent)
    isPersistent = persistent ?? false
  }
}

/// The removal of a target, `?TARGET={…,"enable":false}`.
struct TargetRemoval: CodedFields {
  var name = ""

  mutating func code(_ coder: inout some FieldCoder) {
    coder.field("name", &name, bytes: 1...64)
    for name: StaticString in ["lat", "lon", "radius"] { coder.ignore(name) }
    var enable: Bool? = false
    coder.field("enable", &enable)
    var persistent: Bool?
    coder.field("persistent", &persistent)
  }
}

extension FieldCoder {
  fileprivate mutating func checkedField(_ position: inout Coordinate) {
    var latitude: Double? = position.latitude
    field("lat", &latitude, decimals: 9, in: -90...90)
    let checkedLatitude = required("lat", latitude, or: 0)
    var longitude: Double? = position.longitude
    field("lon", &longitude, decimals: 9, in: -180...180)
    position = Coordinate(latitude: checkedLatitude, longitude: required("lon", longitude, or: 0)) ?? position
  }
}
