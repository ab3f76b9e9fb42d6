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
  /// `?SENSOR={…}`: a reading of a sensor.
  case sensor(SensorRequest)

  package var isOfView: Bool {
    switch self {
    case .view, .setFollow, .restoreFollow: true
    case .locate, .setTarget, .removeTarget, .trip, .course, .cue, .sensor: false
    }
  }
}

/// What is published of what clients share: its state, when a request or a fix has changed it, or as an answer.
package enum ClientEvent: Sendable {
  case follow(FollowState)
  case arrival(Arrival)
  /// A target was removed: by request, with its client's connection, or to make room for another client's.
  case targetRemoved(Target)
  /// A trip at a change, by itself or by request, and once a second in motion.
  case trip(TripStatus)
  /// The followed course at a fix, or a course that a request changed.
  case course(CourseStatus)
  case sensor(SensorStatus)

  package enum Recipients: Hashable, Sendable {
    /// The subscribers, and the client that caused it.
    case subscribers(and: ClientID?)
    /// The subscribers that keep up: figures in motion, which others follow.
    case subscribersInTime
    /// The subscribers that read courses, and the client that caused it.
    case courseReaders(and: ClientID?)
    /// The subscribers that read sensors, and the client that caused it.
    case sensorReaders(and: ClientID?)
    /// The client whose request found that state and did not change it.
    case client(ClientID)
  }
}
