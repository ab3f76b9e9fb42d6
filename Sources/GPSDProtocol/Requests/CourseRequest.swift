import LocationCore

/// A course to set, continue, follow or end, `?COURSE={…}`.
package struct CourseRequest: CodedFields {
  /// Name, 1 to 64 bytes.
  package var name: String
  package var change: CourseChange

  package init(name: String, change: CourseChange = .follow) {
    self.name = name
    self.change = change
  }

  package init() { self.init(name: "") }

  package mutating func code(_ coder: inout some FieldCoder) {
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
        return .course(CourseRequest(name: name, change: change))
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

/// A cue to add to a course, `?CUE={…}`.
package struct CueRequest: CodedFields {
  /// Name of the course.
  package var course: String
  package var cue: CueChange

  package init(course: String, cue: CueChange) {
    self.course = course
    self.cue = cue
  }

  package init() { self.init(course: "", cue: CueChange("", at: .along(0))) }

  package mutating func code(_ coder: inout some FieldCoder) {
    var (along, place): (Double?, Coordinate?)
    switch cue.place {
    case .along(let metres): along = metres
    case .near(let coordinate): place = coordinate
    }
    coder.field("course", &course, bytes: 1...64)
    coder.field("at", &along, decimals: 3, in: 0...CourseLine.maximumLength)
    let hasPlace = coder.optionalPlace(&place)
    coder.field("text", &cue.text, bytes: 1...256)
    coder.field("kind", &cue.kind, bytes: 1...32)
    coder.check("at", (along != nil) != hasPlace, #"given, or "lat" and "lon" instead"#)
    if let place { cue.place = .near(place) } else { cue.place = .along(along ?? 0) }
  }
}

extension FieldCoder {
  /// A place as `lat` and `lon`, or neither; returns whether one of them was given.
  fileprivate mutating func optionalPlace(_ place: inout Coordinate?) -> Bool {
    var (latitude, longitude) = (place?.latitude, place?.longitude)
    field("lat", &latitude, decimals: 9, in: -90...90)
    field("lon", &longitude, decimals: 9, in: -180...180)
    if latitude != nil, longitude == nil { noteMissing("lon") }
    if longitude != nil, latitude == nil { noteMissing("lat") }
    place = latitude.flatMap { latitude in longitude.flatMap { Coordinate(latitude: latitude, longitude: $0) } }
    return latitude != nil || longitude != nil
  }
}

/// The encoded polyline algorithm: differences of whole numbers, five bits a character.
package enum Polyline {
  private static let decimals = 1e6
  /// Most characters of a number: 35 bits.
  private static let longest = 7

  /// The points of a text; `nil` unless it consists of whole points, at least one, that are on the Earth.
  package static func points(_ text: String) -> [CoursePoint]? {
    guard let numbers = differences(text), !numbers.isEmpty, numbers.count.isMultiple(of: 2) else { return nil }
    var points: [CoursePoint] = []
    points.reserveCapacity(numbers.count / 2)
    var (latitude, longitude): (Int64, Int64) = (0, 0)
    for index in stride(from: 0, to: numbers.count, by: 2) {
      latitude += numbers[index]
      longitude += numbers[index + 1]
      let place = Coordinate(latitude: Double(latitude) / decimals, longitude: Double(longitude) / decimals)
      guard let place else { return nil }
      points.append(CoursePoint(place))
    }
    return points
  }

  /// Adds the elevations of a text, if there is one; false unless it has one for each point.
  static func add(_ elevation: String?, to points: inout [CoursePoint]) -> Bool {
    guard let elevation else { return true }
    guard let values = values(elevation), values.count == points.count else { return false }
    for (index, value) in values.enumerated() {
      points[index] = CoursePoint(points[index].position, elevation: Double(value) / 10)
    }
    return true
  }

  /// The numbers of a text; `nil` if it is damaged.
  private static func values(_ text: String) -> [Int64]? {
    var sum: Int64 = 0
    return differences(text)?.map { difference in
      sum += difference
      return sum
    }
  }

  /// Texts of points, and of their elevations if any is known; a missing one is below every place on Earth.
  static func texts(of points: [CoursePoint]) -> (polyline: String, elevation: String?) {
    let places = points.flatMap { point in
      [point.position.latitude, point.position.longitude].map { Int64(($0 * decimals).rounded()) }
    }
    let polyline = text(of: places, every: 2)
    guard points.contains(where: { $0.elevation != nil }) else { return (polyline, nil) }
    return (polyline, text(of: points.map { Int64((($0.elevation ?? -32_768) * 10).rounded()) }, every: 1))
  }

  private static func differences(_ text: String) -> [Int64]? {
    var numbers: [Int64] = []
    var (number, shift): (UInt64, UInt64) = (0, 0)
    for byte in text.utf8 {
      guard (63...126).contains(byte), shift < 5 * UInt64(longest) else { return nil }
      let bits = UInt64(byte) - 63
      number |= (bits & 0x1f) << shift
      if bits & 0x20 != 0 {
        shift += 5
      } else {
        numbers.append(Int64(number >> 1) ^ -Int64(number & 1))
        (number, shift) = (0, 0)
      }
    }
    return shift == 0 ? numbers : nil
  }

  private static func text(of values: [Int64], every step: Int) -> String {
    var bytes: [UInt8] = []
    for index in values.indices {
      let difference = values[index] - (index >= step ? values[index - step] : 0)
      var number = UInt64(bitPattern: (difference << 1) ^ (difference >> 63))
      while number >= 0x20 {
        bytes.append(UInt8(number & 0x1f | 0x20) + 63)
        number >>= 5
      }
      bytes.append(UInt8(number) + 63)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
