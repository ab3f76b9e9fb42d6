import LocationCore

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

/// A part of a course as it is read back (class `COURSE` with `from`), the answer to `?COURSE={…,"from":…}`.
package struct CoursePieceReport: Hashable, Sendable, CodedReport {
  package static let reportClass: StaticString = "COURSE"
  package private(set) var piece: CoursePiece

  package init() { self.init(CoursePiece()) }

  private init(_ piece: CoursePiece) { self.piece = piece }

  package mutating func fields(_ coder: inout some FieldCoder) {
    var (polyline, elevation): (String?, String?)
    var state: CourseState? = piece.state
    if !piece.points.isEmpty { (polyline, elevation) = Polyline.texts(of: piece.points) }
    coder.field("name", &piece.name)
    coder.field("state", &state, bytes: 1...32, "a state")
    coder.field("revision", &piece.revision)
    coder.field("from", &piece.from)
    coder.field("points", &piece.pointCount)
    coder.field("next", &piece.next)
    coder.field("polyline", uncut: &polyline)
    coder.field("elevation", uncut: &elevation)
    piece.state = state ?? piece.state
    piece.points = polyline.flatMap { Polyline.points($0) } ?? []
    coder.check("elevation", Polyline.add(elevation, to: &piece.points), "a value for each point")
    var cues = piece.cues.isEmpty ? nil : piece.cues
    coder.objects("cues", &cues)
    piece.cues = cues ?? []
  }

  /// Most points and cues of a line.
  private static let limit = 1000

  /// The part of a course from an item on, as much of it as a line holds.
  package init(_ request: CoursePieceRequest, of courses: CourseTable) throws(RequestRefusal) {
    var line = JSONLine(capacity: JSONLine.maximumLength)
    var limit = Self.limit
    self.init(try courses.piece(of: request.name, from: request.from, limit: limit))
    write(into: &line)
    while line.count > JSONLine.maximumLength {
      limit /= 2
      piece = try courses.piece(of: request.name, from: request.from, limit: limit)
      line.removeAll()
      write(into: &line)
    }
  }
}

extension CourseCue: CodedFields {
  package init() { self.init(along: 0, text: "") }

  package mutating func fields(_ coder: inout some FieldCoder) {
    var (along, text, kind) = (self.along, self.text, self.kind)
    coder.field("at", &along, decimals: 3)
    coder.field("text", &text)
    coder.field("kind", &kind)
    self = CourseCue(along: along, text: text, kind: kind)
  }
}
