import LocationCore

/// A question about what clients share, which the desk answers in one form for the daemon and the `FakeDaemon`.
package enum DeskQuestion: Hashable, Sendable {
  /// `?FOLLOW;` or `?FOLLOW={"view":…}`: the follow state of all views, or of one.
  case follow(view: String?)
  case targets
  case trips
  case courses
  /// `?COURSE={…,"from":…}`: the points and cues of a course, in pieces.
  case coursePiece(CoursePieceRequest)
  case sensors

  package static let snapshot: [DeskQuestion] = [.follow(view: nil), .targets, .trips]

  package func reports(
    of desk: ClientDesk, at instant: MonotonicInstant
  ) throws(RequestRefusal) -> [any CodedReport] {
    switch self {
    case .follow(let view?): return [FollowReport(desk.follow.state(of: view))]
    case .follow:
      // Before any report, that of the default view, which follows from the start.
      let states = desk.follow.states
      return (states.isEmpty ? [desk.follow.state(of: ViewRequest.defaultName)] : states).map { FollowReport($0) }
    case .targets: return desk.targets.states.map { ArrivalReport($0) }
    case .trips: return desk.trips.statuses.map { TripReport($0) }
    case .courses: return desk.courses.statuses.map { CourseReport($0) }
    case .coursePiece(let piece): return [try CoursePieceReport(piece, of: desk.courses)]
    case .sensors: return desk.sensors.statuses.map { SensorReport($0, at: instant) }
    }
  }

  package var nothing: ErrorReport {
    let (message, code): (String, ErrorCode) =
      switch self {
      case .targets: ("no target is set", .noTarget)
      case .trips: ("no trip has been started", .noTrip)
      case .sensors: ("no sensor has sent a reading", .noSensor)
      // Of `.follow` there is always one.
      case .follow, .courses, .coursePiece: ("no course is set", .noCourse)
      }
    return ErrorReport(message: message, code: code, request: "\(traits.name)")
  }
}

extension ClientEvent {
  package func write(into line: inout JSONLine) {
    switch self {
    case .follow(let state): FollowReport(state).write(into: &line)
    case .arrival(let arrival): ArrivalReport(arrival).write(into: &line)
    case .targetRemoved(let target): ArrivalReport(target, state: .removed).write(into: &line)
    case .trip(let status): TripReport(status).write(into: &line)
    case .course(let status): CourseReport(status).write(into: &line)
    case .sensor(let status): SensorReport(status, at: status.received).write(into: &line)
    }
  }
}

extension Request {
  static let deskReaders: [Reader] = [
    reader("VIEW", like: #"{"view":"main","lat":47.1,"lon":11.2}"#) { .view($0) },
    reader("FOLLOW") { (follow: FollowRequest?) in follow?.request ?? .question(.follow(view: nil)) },
    reader("LOCATE") { (locate: LocateRequest?) in .engine(.locate(timeout: locate?.timeout, maxAge: locate?.maxAge)) },
    Reader(name: "TARGET") { fields throws(RequestError) in
      guard let fields else { return .question(.targets) }
      guard try fields.bool("enable") == false else { return .engine(.setTarget(try fields.read())) }
      let removal: TargetRemoval = try fields.read()
      return .engine(.removeTarget(name: removal.name))
    },
    reader("TRIP") { $0.map { .engine(.trip($0)) } ?? .question(.trips) },
    Reader(name: "COURSE") { fields throws(RequestError) in
      guard let fields else { return .question(.courses) }
      return fields.contains("from")
        ? .question(.coursePiece(try fields.read())) : .engine(.course(try fields.read()))
    },
    reader("CUE", like: #"{"course":"tour","at":1200,"text":"Left"}"#) { .cue($0) },
    reader("SENSOR") { $0.map { .engine(.sensor($0)) } ?? .question(.sensors) },
  ]
}

extension DeskQuestion {
  var traits: Request.Traits {
    switch self {
    case .follow(let view): Request.Traits(name: "FOLLOW", fields: view.map { FollowRequest(view: $0) })
    case .targets: Request.Traits(name: "TARGET")
    case .trips: Request.Traits(name: "TRIP")
    case .courses: Request.Traits(name: "COURSE")
    case .coursePiece(let piece): Request.Traits(name: "COURSE", fields: piece)
    case .sensors: Request.Traits(name: "SENSOR")
    }
  }
}

extension EngineRequest {
  var traits: Request.Traits {
    let (name, fields): (StaticString, any CodedFields) =
      switch self {
      case .view(let view): ("VIEW", view)
      case .setFollow(let view, let enable): ("FOLLOW", FollowRequest(view: view, enable: enable))
      case .restoreFollow(let view, let following):
        ("FOLLOW", FollowRequest(view: view, following: following, restore: true))
      case .locate(let timeout, let maxAge): ("LOCATE", LocateRequest(timeout: timeout, maxAge: maxAge))
      case .setTarget(let target): ("TARGET", target)
      case .removeTarget(let name): ("TARGET", TargetRemoval(name: name))
      case .trip(let trip): ("TRIP", trip)
      case .course(let course): ("COURSE", course)
      case .cue(let cue): ("CUE", cue)
      case .sensor(let sensor): ("SENSOR", sensor)
      }
    let isQuestion = if case .locate = self { true } else { false }
    return Request.Traits(name: name, fields: fields, isControl: !isQuestion)
  }
}

struct LocateRequest: CodedFields {
  /// Seconds.
  var timeout: Double?
  /// Seconds.
  var maxAge: Double?

  mutating func fields(_ coder: inout some FieldCoder) {
    coder.field("timeout", &timeout, decimals: 3, in: 0...3600)
    coder.field("maxAge", &maxAge, decimals: 3, in: 0...3600)
  }
}

extension FollowRequest {
  fileprivate var request: Request {
    if restore != nil, let following {
      return .engine(.restoreFollow(view: view ?? ViewRequest.defaultName, following: following))
    }
    return enable.map { .engine(.setFollow(view: view ?? ViewRequest.defaultName, enable: $0)) }
      ?? .question(.follow(view: view))
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
