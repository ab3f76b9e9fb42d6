import GPSDProtocol
import LocationCore

/// Keeps the persistent courses in the state directory: of each a line `USER REQUEST`, with the number of the user to
/// whom it belongs, or `-`, and the request as in a recording, then a line for each cue. The followed course is the
/// last one. Where the rider is on them is in a small file of its own, written once a minute at most and at the end.
package final class CourseKeeper: EngineObserver {
  /// Its limit is more than all courses have that may be set: their points in 24 bytes each, and cues in 2 kB.
  private static let file = StateFile(
    name: "courses", version: 1,
    limit: Quota.courses.limit * (24 * CourseLine.maximumPoints + 2048 * Course.maximumCues))
  private static let progressFile = StateFile(name: "progress", version: 1)

  /// Shortest time between two writes, however fast clients change courses.
  private static let spacing = Duration.seconds(1)
  private static let progressInterval = Duration.seconds(60)

  private let directory: StateDirectory
  /// The courses' revision that the file has, and the instant of the newest write.
  private var written: (revision: Int, instant: MonotonicInstant)?
  private var progressWritten: MonotonicInstant?
  /// Whether its file has a place.
  private var hasProgress = false

  init(_ directory: StateDirectory) { self.directory = directory }

  package func restore(into loop: EngineLoop, recording rides: RideObserver) {
    var kept: [PersistentCourse] = []
    // A damaged line costs its course or its cue.
    guard directory.readEach(Self.file, { Self.add($0, to: &kept) ? $0 : nil }) != nil else { return }
    let progress = directory.readEach(Self.progressFile) { KeptProgress(line: $0) }
    hasProgress = progress?.isEmpty == false
    loop.turn { instant in
      loop.engine.desk.courses.restore(kept, progress ?? [])
      for request in kept.flatMap(\.requests) { rides.record(request, at: instant) }
    }
  }

  package func observe(_ event: EngineEvent, at instant: MonotonicInstant, in engine: borrowing LocationEngine) {
    guard case .told(.course(let course), _) = event else { return }
    if course.isTransition { expire(at: instant, in: engine) }
    if let progressWritten, instant - progressWritten < Self.progressInterval { return }
    progressWritten = instant
    writeProgress(of: engine.desk.courses)
  }

  func finish(_ courses: CourseTable) {
    if courses.revision != written?.revision ?? 0 { write(courses) }
    writeProgress(of: courses)
  }

  private func write(_ courses: CourseTable) { directory.write(Self.file, courses.persistent.flatMap(\.lines)) }

  private func writeProgress(of courses: CourseTable) {
    let lines = courses.keptProgress.map(\.line)
    if !lines.isEmpty || hasProgress { directory.write(Self.progressFile, lines) }
    hasProgress = !lines.isEmpty
  }

  package func deadline(in engine: borrowing LocationEngine) -> MonotonicInstant? {
    guard let written, engine.desk.courses.revision != written.revision else { return nil }
    return written.instant + Self.spacing
  }

  package func expire(at instant: MonotonicInstant, in engine: borrowing LocationEngine) {
    let revision = engine.desk.courses.revision
    guard revision != written?.revision ?? 0 else { return }
    if let written, instant - written.instant < Self.spacing { return }
    written = (revision, instant)
    write(engine.desk.courses)
  }

  private static func add(_ line: Substring, to courses: inout [PersistentCourse]) -> Bool {
    let words = line.split(separator: " ", maxSplits: 1)
    guard words.count == 2, let request = Request(recorded: Array(words[1].utf8)) else { return false }
    let user = UInt32(words[0])
    guard user != nil || words[0] == "-" else { return false }
    switch request {
    case .engine(.course(let request)):
      guard case .set(let points, _) = request.change, !courses.contains(where: { $0.name == request.name }),
        let course = try? Course(name: request.name, points: points)
      else { return false }
      courses.append(PersistentCourse(course: course, user: user))
      return true
    case .engine(.cue(let cue)):
      guard let last = courses.indices.last, cue.course == courses[last].name else { return false }
      return (try? courses[last].course.add(cue.cue)) != nil
    default: return false
    }
  }
}

extension PersistentCourse {
  fileprivate var requests: [Request] {
    CourseRequest.requests(settingCourse: name, points, isPersistent: true) + cueRequests
  }

  private var cueRequests: [Request] { cues.map { .engine(.cue(CueRequest(course: name, $0))) } }

  fileprivate var lines: [String] {
    let whole = Request.engine(.course(CourseRequest(name: name, change: .set(points, isPersistent: true))))
    return ([whole] + cueRequests).map { request in
      "\(user.map { "\($0)" } ?? "-") \(String(decoding: request.recorded, as: UTF8.self))"
    }
  }
}
