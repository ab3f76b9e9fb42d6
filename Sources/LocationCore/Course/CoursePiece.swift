/// A part of a course as it is read back: points of the line, and behind its last one the cues.
package struct CoursePiece: Hashable, Sendable {
  package var name: String
  package var state: CourseState
  /// Number of the line with its cues: pieces of one number belong together.
  package var revision: Int
  /// Index of the first item: the points of the line are counted from 0, after them the cues.
  package var from: Int
  /// Number of all points of the line.
  package var pointCount: Int
  /// Index of the first item after the piece; `nil` at the end.
  package var next: Int?
  package var points: [CoursePoint]
  package var cues: [CourseCue]

  package init(
    name: String = "", state: CourseState = .before, revision: Int = 0, from: Int = 0, pointCount: Int = 0,
    next: Int? = nil, points: [CoursePoint] = [], cues: [CourseCue] = []
  ) {
    self.name = name
    self.state = state
    self.revision = revision
    self.from = from
    self.pointCount = pointCount
    self.next = next
    self.points = points
    self.cues = cues
  }
}
