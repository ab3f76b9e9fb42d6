import LocationCore

extension TargetRequest: CodedFields {
  package init() { self.init(name: "", position: .origin) }

  package mutating func fields(_ coder: inout some FieldCoder) {
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

  mutating func fields(_ coder: inout some FieldCoder) {
    coder.field("name", &name, bytes: 1...64)
    for name: StaticString in ["lat", "lon", "radius"] { coder.ignore(name) }
    var enable: Bool? = false
    coder.field("enable", &enable)
    var persistent: Bool?
    coder.field("persistent", &persistent)
  }
}

extension FieldCoder {
  mutating func checkedField(_ position: inout Coordinate) {
    var latitude: Double? = position.latitude
    field("lat", &latitude, decimals: 9, in: -90...90)
    let checkedLatitude = required("lat", latitude, or: 0)
    var longitude: Double? = position.longitude
    field("lon", &longitude, decimals: 9, in: -180...180)
    position = Coordinate(latitude: checkedLatitude, longitude: required("lon", longitude, or: 0)) ?? position
  }
}
