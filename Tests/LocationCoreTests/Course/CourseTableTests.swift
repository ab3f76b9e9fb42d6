import Testing

@testable import LocationCore

@Suite struct CourseTableTests {
  private var table = CourseTable()

  private static func points(_ metres: ClosedRange<Int>) -> [CoursePoint] {
    stride(from: metres.lowerBound, through: metres.upperBound, by: 100).compactMap { north in
      Coordinate(latitude: 48 + Double(north) / 111_195, longitude: 11.5).map { CoursePoint($0, elevation: 500) }
    }
  }

  private mutating func set(
    _ name: String, _ metres: ClosedRange<Int> = 0...200, of user: UInt32, isPersistent: Bool = false
  ) -> RequestRefusal? {
    apply(.set(Self.points(metres), isPersistent: isPersistent), to: name, of: user)
  }

  private mutating func apply(_ change: CourseChange, to name: String, of user: UInt32?) -> RequestRefusal? {
    let peer = user.map { ClientPeer.process(Int32($0), user: $0) } ?? .replay
    do throws(RequestRefusal) {
      _ = try table.apply(change, to: name, from: ClientID(UInt64(user ?? 0)), of: peer)
      return nil
    } catch {
      return error
    }
  }

  @Test mutating func `A user has 8 courses, and others have theirs`() {
    for number in 1...8 { #expect(set("a\(number)", of: 1000) == nil) }
    #expect(set("a9", of: 1000) == .full(.coursesOfUser))
    #expect(set("a8", 0...400, of: 1000) == nil, "in place of one of his own")
    #expect(set("a1", of: 1001) == .ofAnotherUser(.course, name: "a1"))
    for change in [CourseChange.end, .append(Self.points(300...400)), .cue(CueChange("a", at: .along(0)))] {
      #expect(apply(change, to: "a1", of: 1001) == .ofAnotherUser(.course, name: "a1"))
    }
    for number in 1...8 { #expect(set("b\(number)", of: 1001) == nil) }
    #expect(set("c", of: 1002) == .full(.courses))
    #expect(apply(.follow, to: "a1", of: 1002) == nil && table.followed?.name == "a1")
    #expect(apply(.end, to: "a1", of: 0) == nil, "root may")
    #expect(table.statuses.count == 15 && table.statuses.dropFirst().allSatisfy { $0.state == .kept })
  }

  @Test mutating func `A recording leaves the courses of users as they are`() {
    #expect(set("tour", of: 1000) == nil)
    let line = Self.points(0...900)
    #expect(apply(.set(line, isPersistent: true), to: "tour", of: nil) == .ofAnotherUser(.course, name: "tour"))
    #expect(apply(.end, to: "tour", of: nil) == .ofAnotherUser(.course, name: "tour"))
    #expect(apply(.set(line, isPersistent: true), to: "recorded", of: nil) == nil)
    #expect(table.persistent.isEmpty)
  }

  @Test mutating func `A piece that does not fit changes nothing`() {
    #expect(set("tour", of: 1000) == nil)
    let far = (0...5).compactMap {
      Coordinate(latitude: $0.isMultiple(of: 2) ? 90 : -90, longitude: 0).map { CoursePoint($0) }
    }
    #expect(apply(.append(Self.points(300...400) + far), to: "tour", of: 1000) == .invalid("\(CourseError.tooLong)"))
    #expect(table.followed.map { abs($0.remaining - 200) < 1 } == true)
    #expect(apply(.append(Self.points(300...400)), to: "none", of: 1000) == .missing(.course, name: "none"))
  }

  @Test mutating func `A course is read back in pieces, its cues behind its points`() throws {
    #expect(set("tour", 0...1000, of: 1000) == nil && set("other", of: 1000) == nil)
    for along in [800.0, 300] {
      #expect(apply(.cue(CueChange("at \(along)", at: .along(along))), to: "tour", of: 1000) == nil)
    }
    let first = try table.piece(of: "tour", from: 0, limit: 5)
    #expect(first.state == .kept && first.pointCount == 11 && first.next == 5 && first.cues.isEmpty)
    let second = try table.piece(of: "tour", from: 5, limit: 7)
    #expect(second.points.count == 6 && second.cues.map(\.along) == [300] && second.next == 12)
    let last = try table.piece(of: "tour", from: 12, limit: 7)
    #expect(last.points.isEmpty && last.cues.map(\.along) == [800] && last.next == nil)
    for (point, set) in zip(first.points + second.points, Self.points(0...1000)) {
      #expect(point.position.distance(to: set.position) < 0.004 && point.elevation == set.elevation)
    }
    #expect(Set([first, second, last].map(\.revision)).count == 1)
    for from in [13, .max, -1] {
      let piece = try table.piece(of: "tour", from: from, limit: 5)
      #expect(piece.from == from && piece.points.isEmpty == (from > 0) && piece.cues.isEmpty && piece.pointCount == 11)
    }
    #expect(throws: RequestRefusal.missing(.course, name: "none")) { try table.piece(of: "none", from: 0, limit: 5) }
  }

  @Test mutating func `The revision changes with the line and the cues, and with nothing else`() {
    #expect(set("tour", of: 1000) == nil)
    var revision: Int? { table.statuses.first { $0.name == "tour" }?.revision }
    var seen = [revision]
    #expect(apply(.cue(CueChange("a", at: .along(9000))), to: "tour", of: 1000) != nil)
    #expect(set("other", of: 1000) == nil && apply(.follow, to: "tour", of: 1000) == nil)
    #expect(apply(.end, to: "other", of: 1000) == nil && revision == seen.last)
    for change in [
      CourseChange.append(Self.points(300...400)), .cue(CueChange("a", at: .along(0))),
      .set(Self.points(0...200), isPersistent: true),
    ] {
      #expect(apply(change, to: "tour", of: 1000) == nil)
      seen.append(revision)
    }
    #expect(seen.allSatisfy { $0 != nil } && Set(seen).count == 4)
  }

  @Test mutating func `Courses are kept as they were set, in the order in which they were chosen`() throws {
    #expect(set("a", 0...300, of: 1000, isPersistent: true) == nil)
    #expect(set("b", 0...500, of: 1001, isPersistent: true) == nil)
    #expect(set("c", of: 1000) == nil)
    #expect(apply(.cue(CueChange("Left", kind: "left", at: .along(250))), to: "b", of: 1001) == nil)
    #expect(apply(.follow, to: "a", of: 1000) == nil)
    let before = table.revision
    #expect(apply(.end, to: "c", of: 1000) == nil && table.revision == before, "it is not kept")
    let kept = table.persistent
    #expect(kept.map(\.name) == ["b", "a"] && kept.map(\.user) == [1001, 1000])
    #expect(kept[0].cues == [CourseCue(along: 250, text: "Left", kind: "left")])
    #expect(kept[0].points.count == 6)
    for (point, set) in zip(kept[0].points, Self.points(0...500)) {
      #expect(point.position.distance(to: set.position) < 0.005 && point.elevation == set.elevation)
    }
    var again = CourseTable()
    again.restore(kept, [])
    #expect(again.followed?.name == "a" && again.statuses.count == 2)
    #expect(apply(.end, to: "a", of: 1000) == nil && table.revision == before + 1)
  }
}
