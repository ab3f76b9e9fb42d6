import GPSDProtocol
import LocationCore

extension LocationClient {
  /// Sets a course along places, at most 100,000, in place of one with the same name, and follows it: from then on
  /// ``Update/course(_:)`` reports where the rider is on it. It stays until it is ended, over restarts of the daemon if that has a
  /// state directory.
  ///
  /// - Parameters:
  ///   - name: Name, 1 to 64 bytes.
  ///   - places: The points of the line, in order.
  ///   - elevations: Metres above mean sea level of each place, if known.
  @discardableResult
  public func setCourse(
    _ name: String, along places: [Coordinate], elevations: [Double?] = []
  ) async throws(LocationClientError) -> CourseReport {
    let points = places.indices.map { index in
      CoursePoint(places[index], elevation: index < elevations.count ? elevations[index] : nil)
    }
    return try await setCourse(name, points)
  }

  package func setCourse(
    _ name: String, _ points: [CoursePoint], cues: [CourseCue] = []
  ) async throws(LocationClientError) -> CourseReport {
    // One that is too long must not end up as a part of it.
    guard points.count <= CourseLine.maximumPoints else { throw .invalid("\(CourseError.tooManyPoints)") }
    let cues = cues.map { Request.engine(.cue(CueRequest(course: name, $0))) }
    return try await course(
      name, after: CourseRequest.requests(settingCourse: name, points, isPersistent: true) + cues)
  }

  /// Adds a cue to a course that this user has set.
  ///
  /// - Parameters:
  ///   - text: The note, 1 to 256 bytes.
  ///   - kind: What it is about, in a word: `left`, `summit`, `water`.
  ///   - place: At most 100 m from the line.
  ///   - name: Name of the course.
  @discardableResult
  public func addCue(
    _ text: String, kind: String? = nil, at place: Coordinate, ofCourse name: String
  ) async throws(LocationClientError) -> CourseReport {
    try await course(
      name, after: [.engine(.cue(CueRequest(course: name, cue: CueChange(text, kind: kind, at: .near(place)))))])
  }

  /// Follows a course that was set before.
  @discardableResult
  public func followCourse(_ name: String) async throws(LocationClientError) -> CourseReport {
    try await course(name, after: [.engine(.course(CourseRequest(name: name)))])
  }

  /// Ends a course that this user has set; returns its last report.
  @discardableResult
  public func endCourse(_ name: String) async throws(LocationClientError) -> CourseReport {
    try await course(name, after: [.engine(.course(CourseRequest(name: name, change: .end)))])
  }

  /// Every course, the followed one first.
  public func courses() async throws(LocationClientError) -> [CourseReport] {
    try await list(.courses) { if case .course(let course) = $0 { course } else { nil } }
  }

  /// The line and the cues of a course, whichever client has set it. While ``CourseReport/revision`` is that of the
  /// result, they are the same.
  ///
  /// - Parameter name: Name of the course.
  public func course(named name: String) async throws(LocationClientError) -> PlannedCourse {
    let end = clock.now + .seconds(30)
    while clock.now < end {
      let request = Request.question(.coursePiece(CoursePieceRequest(name: name, from: 0)))
      let pieces = try await exchange([request], until: .lastPiece, within: end - clock.now).compactMap {
        if case .coursePiece(let report) = $0.report { report.piece } else { nil }
      }
      if let course = PlannedCourse(pieces) { return course }
    }
    throw .protocolViolation("the course changes faster than it can be read")
  }

  private func course(_ name: String, after requests: [Request]) async throws(LocationClientError) -> CourseReport {
    for reply in try await exchange(requests).reversed() {
      if case .course(let course) = reply.report, course.name == name { return course }
    }
    throw .protocolViolation("COURSE was not answered")
  }
}
