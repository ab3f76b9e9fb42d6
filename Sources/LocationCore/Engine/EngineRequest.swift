/// A client's request to the engine, in the form in which it is on the wire and in recordings.
package enum EngineRequest: Hashable, Sendable {
  /// `?VIEW={…}`: the position of a renderer's view.
  case view(ViewRequest)
  /// `?FOLLOW={"enable":…}`: re-engages or releases a view.
  case setFollow(view: String, enable: Bool)
  /// `?FOLLOW={"following":…,"restore":true}`: the state that a view had before the daemon restarted.
  case restoreFollow(view: String, following: Bool)
  /// `?LOCATE;` or `?LOCATE={…}`: one fix at most `maxAge` old within `timeout`, seconds (0 to 3600); `nil`: default.
  case locate(timeout: Double?, maxAge: Double?)
  /// `?TARGET={…}`: sets a target, or replaces the one of the same name.
  case setTarget(TargetRequest)
  /// `?TARGET={…,"enable":false}`: removes a target.
  case removeTarget(name: String)
  /// `?TRIP={…}`: starts or shows a trip, or changes it.
  case trip(TripRequest)
  /// `?COURSE={…}`: sets, continues, follows or ends a course.
  case course(CourseRequest)
  /// `?CUE={…}`: adds a cue to a course.
  case cue(CueRequest)

  /// Whether its client shows a view.
  package var isOfView: Bool {
    switch self {
    case .view, .setFollow, .restoreFollow: true
    case .locate, .setTarget, .removeTarget, .trip, .course, .cue: false
    }
  }
}

/// A place to watch for arrival.
package struct TargetRequest: Hashable, Sendable {
  /// Name, 1 to 64 bytes; the same name again replaces the target.
  package var name: String
  package var position: Coordinate
  /// Metres, 1 to 10,000; `nil` is 100.
  package var radius: Double?
  /// Whether the target stays when the connection ends.
  package var isPersistent: Bool

  package init(name: String, position: Coordinate, radius: Double? = nil, isPersistent: Bool = false) {
    self.name = name
    self.position = position
    self.radius = radius
    self.isPersistent = isPersistent
  }
}

/// A trip to start or show, or a change to it.
package struct TripRequest: Hashable, Sendable {
  /// Name, 1 to 64 bytes.
  package var name: String
  package var change: TripChange

  package init(name: String, change: TripChange = .start) {
    self.name = name
    self.change = change
  }
}

/// A course to set, continue, follow or end.
package struct CourseRequest: Hashable, Sendable {
  /// Name, 1 to 64 bytes.
  package var name: String
  package var change: CourseChange

  package init(name: String, change: CourseChange = .follow) {
    self.name = name
    self.change = change
  }
}

/// A cue to add to a course.
package struct CueRequest: Hashable, Sendable {
  /// Name of the course.
  package var course: String
  package var cue: CueChange

  package init(course: String, cue: CueChange) {
    self.course = course
    self.cue = cue
  }
}
