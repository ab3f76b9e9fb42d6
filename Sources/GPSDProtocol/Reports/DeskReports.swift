import LocationCore

extension EngineEvent {
  /// Writes the report of an event that a request may cause, except of one that needs more than the event.
  package func write(into line: inout JSONLine) {
    switch self {
    case .follow(let state, _): FollowReport(state).write(into: &line)
    case .arrival(let arrival, _): ArrivalReport(arrival).write(into: &line)
    case .targetRemoved(let target, _): ArrivalReport(target, state: .removed).write(into: &line)
    case .trip(let status, _, _): TripReport(status).write(into: &line)
    case .course(let status, _): CourseReport(status).write(into: &line)
    case .answer(let event, _): event.write(into: &line)
    case .fix, .sky, .noFix, .clock, .sentences, .state, .lead, .fixLost, .interference, .malformed, .rollover,
      .unplugged, .reopened, .sendNewest, .located, .accepted:
      break
    }
  }
}

extension Request {
  /// The questions that a snapshot answers, in this order.
  package static let snapshot: [Request] = [.follow(view: nil), .targets, .trips]

  /// The reports that answer a question about what clients share; `nil` for another request.
  package func reports(of desk: ClientDesk) throws(RequestRefusal) -> [any CodedReport]? {
    switch self {
    case .follow(let view?): return [FollowReport(desk.follow.state(of: view))]
    case .follow:
      // Before any report, that of the default view, which follows from the start.
      let states = desk.follow.states
      return (states.isEmpty ? [desk.follow.state(of: Self.defaultView)] : states).map { FollowReport($0) }
    case .targets: return desk.targets.states.map { ArrivalReport($0) }
    case .trips: return desk.trips.statuses.map { TripReport($0) }
    case .courses: return desk.courses.statuses.map { CourseReport($0) }
    case .coursePiece(let piece): return [try CoursePieceReport(piece, of: desk.courses)]
    default: return nil
    }
  }

  /// The answer to such a question when there is nothing to report.
  package var nothing: ErrorReport {
    switch self {
    case .targets: ErrorReport(message: "no target is set", code: .noTarget, request: "TARGET")
    case .trips: ErrorReport(message: "no trip has been started", code: .noTrip, request: "TRIP")
    default: ErrorReport(message: "no course is set", code: .noCourse, request: "COURSE")
    }
  }
}
