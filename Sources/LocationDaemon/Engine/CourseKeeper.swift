import GPSDProtocol
import LocationCore

/// Keeps the persistent courses in the state directory: of each a line `USER REQUEST`, with the number of the user to whom
/// it belongs, or `-`, and the request as in a recording, then a line for each cue. The followed course is the last one.
package final class CourseKeeper: EngineObserver {
  private static let file = StateFile(name: "courses", version: 1, limit: 32 << 20)

  /// Shortest time between two writes, however fast clients change courses.
  private static let spacing = Duration.seconds(1)

  private let directory: StateDirectory
  /// The courses' revision that the file has, and the instant of the newest write.
  private var written: (revision: Int, instant: MonotonicInstant)?

  init(_ directory: StateDirectory) { self.directory = directory }

  /// Puts the courses of an earlier run into the engine, and into the recording of the ride.
  package func restore(into loop: EngineLoop, recording rides: RideObserver) {
    guard let kept = directory.read(Self.file, Self.courses) else { return }
    loop.turn { instant in
      loop.engine.restore(kept)
      for request in kept.flatMap(\.requests) { rides.record(request, at: instant) }
    }
  }

  package func observe(_ event: EngineEvent, at instant: MonotonicInstant, in engine: borrowing LocationEngine) {
    if case .course(let course) = event, course.isTransition { expire(at: instant, in: engine) }
  }

  package func deadline(in engine: borrowing LocationEngine) -> MonotonicInstant? {
    guard let written, engine.courses.revision != written.revision else { return nil }
    return written.instant + Self.spacing
  }

  package func expire(at instant: MonotonicInstant, in engine: borrowing LocationEngine) {
    let revision = engine.courses.revision
    guard revision != written?.revision ?? 0 else { return }
    if let written, instant - written.instant < Self.spacing { return }
    written = (revision, instant)
    let courses = engine.courses.persistent
    directory.write(Self.file, courses.flatMap(\.lines))
  }

  private static func courses(_ lines: [Substring]) -> [PersistentCourse]? {
    var courses: [PersistentCourse] = []
    for line in lines {
      let words = line.split(separator: " ", maxSplits: 1)
      guard words.count == 2, let request = Request(recorded: Array(words[1].utf8)) else { return nil }
      let user = UInt32(words[0])
      guard user != nil || words[0] == "-" else { return nil }
      switch request {
      case .course(let request):
        guard case .set(let points, _) = request.change,
          let course = try? PersistentCourse(name: request.name, user: user, points: points)
        else { return nil }
        courses.append(course)
      case .cue(let cue):
        guard let last = courses.indices.last, cue.course == courses[last].name,
          (try? courses[last].add(cue.cue)) != nil
        else { return nil }
      default: return nil
      }
    }
    return Set(courses.map(\.name)).count == courses.count ? courses : nil
  }
}

extension PersistentCourse {
  fileprivate var requests: [Request] {
    CourseRequest.requests(settingCourse: name, points, isPersistent: true) + cueRequests
  }

  private var cueRequests: [Request] {
    cues.map { .cue(CueRequest(course: name, cue: CueChange($0.text, kind: $0.kind, at: .along($0.along)))) }
  }

  fileprivate var lines: [String] {
    let whole = Request.course(CourseRequest(name: name, change: .set(points, isPersistent: true)))
    return ([whole] + cueRequests).map { request in
      var json = JSONLine(capacity: 256)
      request.write(recordedInto: &json)
      return "\(user.map { "\($0)" } ?? "-") \(String(decoding: json.bytes, as: UTF8.self))"
    }
  }
}
