import LocationCore

extension CourseRequest: CodedFields {
  package init() { self.init(name: "") }

  package mutating func fields(_ coder: inout some FieldCoder) {
    var (polyline, elevation): (String?, String?)
    var (append, persistent, enable): (Bool?, Bool?, Bool?)
    switch change {
    case .set(let points, let isPersistent):
      (polyline, elevation) = Polyline.texts(of: points)
      persistent = isPersistent ? true : nil
    case .append(let points):
      (polyline, elevation) = Polyline.texts(of: points)
      append = true
    case .end: enable = false
    case .follow, .cue: break
    }
    coder.field("name", &name, bytes: 1...64)
    coder.field("polyline", uncut: &polyline)
    coder.field("elevation", uncut: &elevation)
    coder.field("append", &append)
    coder.field("persistent", &persistent)
    coder.field("enable", &enable)
    // It reads a course back: CoursePieceRequest.
    var from: Int?
    coder.field("from", &from)

    change = enable == false ? .end : .follow
    guard let polyline else {
      coder.check("polyline", elevation == nil && append != true, #"there with "elevation" or "append""#)
      return
    }
    guard var points = Polyline.points(polyline) else {
      return coder.check(
        "polyline", false, "whole points in the encoded polyline format with 6 decimals, latitude first")
    }
    coder.check(
      "elevation", Polyline.add(elevation, to: &points), "a value for each point, in tenths of a metre")
    coder.check("enable", enable != false, #"true, or without "polyline""#)
    coder.check("persistent", append != true || persistent == nil, #"without "append""#)
    change = append == true ? .append(points) : .set(points, isPersistent: persistent ?? false)
  }
}

extension CueRequest: CodedFields {
  package init() { self.init(course: "", cue: CueChange("", at: .along(0))) }

  package init(course: String, _ cue: CourseCue) {
    self.init(course: course, cue: CueChange(cue.text, kind: cue.kind, at: .along(cue.along)))
  }

  package mutating func fields(_ coder: inout some FieldCoder) {
    var (along, place): (Double?, Coordinate?)
    switch cue.place {
    case .along(let metres): along = metres
    case .near(let coordinate): place = coordinate
    }
    coder.field("course", &course, bytes: 1...64)
    coder.field("at", &along, decimals: 3, in: 0...CourseLine.maximumLength)
    let hasPlace = coder.checkedField(&place, isRequired: false)
    coder.field("text", &cue.text, bytes: 1...256)
    coder.field("kind", &cue.kind, bytes: 1...32)
    coder.check("at", (along != nil) != hasPlace, #"given, or "lat" and "lon" instead"#)
    if let place { cue.place = .near(place) } else { cue.place = .along(along ?? 0) }
  }
}
