package struct CourseRequest: Hashable, Sendable {
  /// Name, 1 to 64 bytes.
  package var name: String
  package var change: CourseChange

  package init(name: String, change: CourseChange = .follow) {
    self.name = name
    self.change = change
  }
}

package enum CourseChange: Hashable, Sendable {
  /// Sets it along points, in place of one with the same name, and follows it.
  case set([CoursePoint], isPersistent: Bool)
  case append([CoursePoint])
  case cue(CueChange)
  case follow
  case end
}

package struct CueRequest: Hashable, Sendable {
  package var course: String
  package var cue: CueChange

  package init(course: String, cue: CueChange) {
    self.course = course
    self.cue = cue
  }
}

package struct CueChange: Hashable, Sendable {
  package enum Place: Hashable, Sendable {
    /// Metres from the start of the line.
    case along(Double)
    case near(Coordinate)
  }

  package var place: Place
  package var text: String
  package var kind: String?

  package init(_ text: String, kind: String? = nil, at place: Place) {
    self.place = place
    self.text = text
    self.kind = kind
  }
}
