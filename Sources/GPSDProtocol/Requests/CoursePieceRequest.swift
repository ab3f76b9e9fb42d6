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

  package mutating func code(_ coder: inout some FieldCoder) {
    coder.field("name", &name, bytes: 1...64)
    coder.field("from", &from)
  }
}
