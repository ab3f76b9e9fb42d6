/// The courses that clients have set, in the order of choice: the last one is followed, after its end the one before.
/// A course ends with its connection unless persistent; only the user who set it can change or end it.
package struct CourseTable: Sendable {
  private struct Entry {
    let name: String
    /// The client that set it; `nil` once that has disconnected.
    var client: ClientID?
    let user: UInt32?
    let isReplayed: Bool
    let isPersistent: Bool
    var progress: CourseProgress
    /// Number of the newest change to the line or the cues.
    var revision: Int
    var newest: CourseStatus?

    var course: Course { progress.course }
  }

  private var entries: [Entry] = []
  private var lineRevision = 0
  /// Number of the changes to the persistent courses.
  package private(set) var revision = 0

  package init() {}
  /// All courses, the followed one first.
  package var statuses: [CourseStatus] { entries.indices.reversed().map { status(of: $0) } }
  package var followed: CourseStatus? { entries.indices.last.map { status(of: $0) } }

  private func status(of index: Int) -> CourseStatus {
    let entry = entries[index]
    var status = entry.newest ?? CourseStatus(name: entry.name, state: .before, remaining: entry.course.line.length)
    if index != entries.endIndex - 1 { status.state = .kept }
    status.revision = entry.revision
    return status
  }

  /// Applies a change; returns what concerns every client, the changed course last.
  package mutating func apply(
    _ change: CourseChange, to name: String, from client: ClientID, of peer: ClientPeer
  ) throws(RequestRefusal) -> [CourseStatus] {
    if case .set(let points, let isPersistent) = change {
      return try set(name, points, isPersistent: isPersistent, from: client, of: peer)
    }
    let index = try index(of: name)
    if case .follow = change {
      if entries[index].isPersistent { revision += 1 }
      entries.append(entries.remove(at: index))
      return [status(of: entries.endIndex - 1)]
    }
    try checkOwner(of: entries[index], peer)
    if change == .end { return end(index) }
    if entries[index].isPersistent { revision += 1 }
    do throws(CourseError) {
      switch change {
      case .append(let points): try entries[index].progress.append(points)
      case .cue(let cue): try entries[index].progress.course.add(cue)
      case .set, .follow, .end: break
      }
    } catch {
      throw .invalid("\(error)")
    }
    entries[index].revision = nextRevision()
    return [status(of: index)]
  }

  private func index(of name: String) throws(RequestRefusal) -> Int {
    guard let index = entries.firstIndex(where: { $0.name == name }) else { throw .missing(.course, name: name) }
    return index
  }

  private mutating func set(
    _ name: String, _ points: [CoursePoint], isPersistent: Bool, from client: ClientID, of peer: ClientPeer
  ) throws(RequestRefusal) -> [CourseStatus] {
    let old = entries.firstIndex { $0.name == name }
    if let old {
      try checkOwner(of: entries[old], peer)
    } else if peer != .replay {
      try Quota.courses.admit(after: entries.count)
      try Quota.coursesOfUser.admit(after: entries.count { $0.user == peer.user && !$0.isReplayed })
    }
    let progress: CourseProgress
    do throws(CourseError) {
      progress = CourseProgress(try Course(name: name, points: points))
    } catch {
      throw .invalid("\(error)")
    }
    let replaced = old.map { entries.remove(at: $0) }
    if isPersistent || replaced?.isPersistent == true { revision += 1 }
    entries.append(
      Entry(
        name: name, client: client, user: peer.user, isReplayed: peer == .replay, isPersistent: isPersistent,
        progress: progress, revision: nextRevision()))
    return [status(of: entries.endIndex - 1)]
  }

  private mutating func nextRevision() -> Int {
    lineRevision += 1
    return lineRevision
  }

  private func checkOwner(of entry: Entry, _ peer: ClientPeer) throws(RequestRefusal) {
    guard peer != .replay || entry.isReplayed, peer.mayChange(thingOf: entry.user) else {
      throw .ofAnotherUser(.course, name: entry.name)
    }
  }

  /// Ends a course; returns its last status, after that of the one which is followed instead.
  private mutating func end(_ index: Int) -> [CourseStatus] {
    let wasFollowed = index == entries.endIndex - 1
    var ended = status(of: index)
    ended.state = .ended
    if entries.remove(at: index).isPersistent { revision += 1 }
    return (wasFollowed ? followed.map { [$0] } ?? [] : []) + [ended]
  }

  /// Ends the courses of a client that disconnected, except persistent ones; returns what concerns every client.
  package mutating func clientDisconnected(_ client: ClientID) -> [CourseStatus] {
    var ended: [CourseStatus] = []
    for index in entries.indices.reversed() where entries[index].client == client {
      if entries[index].isPersistent { entries[index].client = nil } else { ended += end(index) }
    }
    return ended
  }

  package mutating func published(_ fix: PublishedFix, at instant: MonotonicInstant) -> CourseStatus? {
    guard let index = entries.indices.last else { return nil }
    var status = entries[index].progress.published(fix, at: instant)
    status.revision = entries[index].revision
    entries[index].newest = status
    entries[index].newest?.isTransition = false
    return status
  }

  /// The place on the followed course that many metres behind that of the newest fix; `nil` unless the rider was on it.
  func place(after way: Double) -> (position: Coordinate, course: Double)? {
    guard let progress = entries.last?.progress, progress.state == .on, let place = progress.place else { return nil }
    return progress.course.line.place(place.along + place.direction * way, place.direction, from: place.passage.segment)
  }

  /// Points, then cues, from an item on; empty behind the last: a client learns that a shorter course replaced it.
  package func piece(of name: String, from: Int, limit: Int) throws(RequestRefusal) -> CoursePiece {
    let index = try index(of: name)
    let entry = entries[index]
    let (line, cues) = (entry.course.line, entry.course.cues)
    let (points, count) = (line.vertices.count, line.vertices.count + cues.count)
    let begin = min(max(from, 0), count)
    let end = min(begin + limit, count)
    var piece = CoursePiece()
    (piece.name, piece.state, piece.revision) = (name, status(of: index).state, entry.revision)
    (piece.from, piece.pointCount, piece.next) = (from, points, end < count ? end : nil)
    piece.points = line.points(min(begin, points)..<min(end, points))
    piece.cues = Array(cues[max(0, begin - points)..<max(0, end - points)])
    return piece
  }
}

// Across a restart of the daemon.
extension CourseTable {
  /// The persistent courses, the followed one last, except those of recordings.
  package var persistent: [PersistentCourse] {
    entries.filter { $0.isPersistent && !$0.isReplayed }
      .map { PersistentCourse(course: $0.course, user: $0.user) }
  }

  package var keptProgress: [KeptProgress] {
    entries.filter { $0.isPersistent && !$0.isReplayed }.compactMap(\.progress.kept)
  }

  package mutating func restore(_ courses: [PersistentCourse], _ progress: [KeptProgress]) {
    entries = courses.prefix(Quota.courses.limit).map { course in
      Entry(
        name: course.name, user: course.user, isReplayed: false, isPersistent: true,
        progress: CourseProgress(course.course, from: progress.first { $0.name == course.name }),
        revision: nextRevision())
    }
  }
}

package struct PersistentCourse: Sendable {
  package var course: Course
  /// The user to whom it belongs; `nil` if unknown.
  package let user: UInt32?

  package init(course: Course, user: UInt32?) { (self.course, self.user) = (course, user) }
  package var name: String { course.name }
  package var cues: [CourseCue] { course.cues }
  /// The points of its line, to 4 mm.
  package var points: [CoursePoint] { course.line.points(course.line.vertices.indices) }
}
