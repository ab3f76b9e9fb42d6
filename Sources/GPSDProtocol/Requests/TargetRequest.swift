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
    var place: Coordinate? = position
    _ = checkedField(&place, isRequired: true)
    position = place ?? position
  }

  /// A place as `lat` and `lon`, or neither if it may be missing; returns whether one of them was given.
  mutating func checkedField(_ place: inout Coordinate?, isRequired: Bool) -> Bool {
    var (latitude, longitude) = (place?.latitude, place?.longitude)
    field("lat", &latitude, decimals: 9, in: -90...90)
    if latitude == nil, isRequired { noteMissing("lat") }
    field("lon", &longitude, decimals: 9, in: -180...180)
    if longitude == nil, isRequired || latitude != nil { noteMissing("lon") }
    if latitude == nil, longitude != nil { noteMissing("lat") }
    place = latitude.flatMap { latitude in longitude.flatMap { Coordinate(latitude: latitude, longitude: $0) } }
    return latitude != nil || longitude != nil
  }
}
