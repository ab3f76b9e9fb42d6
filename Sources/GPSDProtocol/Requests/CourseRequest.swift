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

extension CourseRequest {
  /// Most points of a request; fewer if they are far from each other.
  private static let pointsAtOnce = 400

  /// The requests that set a course, none longer than a request may be.
  package static func requests(
    settingCourse name: String, _ points: [CoursePoint], isPersistent: Bool
  ) -> [Request] {
    var requests: [Request] = []
    var rest = points[...]
    while !rest.isEmpty {
      var count = min(pointsAtOnce, rest.count)
      var request: Request {
        let piece = Array(rest.prefix(count))
        let change = requests.isEmpty ? CourseChange.set(piece, isPersistent: isPersistent) : .append(piece)
        return .engine(.course(CourseRequest(name: name, change: change)))
      }
      while count > 2, request.length > RequestParser.maximumLength { count /= 2 }
      requests.append(request)
      rest = rest.dropFirst(count)
    }
    return requests
  }
}

extension Request {
  fileprivate var length: Int {
    var line = JSONLine(capacity: RequestParser.maximumLength)
    write(into: &line)
    return line.count
  }
}

/// A request for a part of a course, `?COURSE={…,"from":…}`.
package struct CoursePieceRequest: CodedFields {
  /// Name, 1 to 64 bytes.
  package var name: String
  /// Index of the first item: the points of the line, then the cues.
  package var from: Int

  package init(name: String, from: Int) {
    self.name = name
    self.from = from
  }

  package init() { self.init(name: "", from: 0) }

  package mutating func fields(_ coder: inout some FieldCoder) {
    coder.field("name", &name, bytes: 1...64)
    coder.field("from", &from)
    coder.check("from", from >= 0, "0 or more")
  }
}

extension CueRequest: CodedFields {
  package init() { self.init(course: "", cue: CueChange("", at: .along(0))) }

  /// The request for a cue as a course has it.
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
