/// A part of a course as it is read back: points of the line, and behind its last one the cues.
package struct CoursePiece: Hashable, Sendable {
  package var name = ""
  package var state = CourseState.before
  /// Number of the line with its cues: pieces of one number belong together.
  package var revision = 0
  /// Index of the first item: the points of the line are counted from 0, after them the cues.
  package var from = 0
  package var pointCount = 0
  /// Index of the first item after the piece; `nil` at the end.
  package var next: Int?
  package var points: [CoursePoint] = []
  package var cues: [CourseCue] = []

  package init() {}
}
