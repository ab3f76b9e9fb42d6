import GPSDProtocol
import LocationCore
import Testing

@testable import LocationDaemon

@Suite("COURSE")
struct CourseTests {
  /// A request for a course of points so many metres north of 48° N 11.5° E, one every 100 m.
  private func request(_ name: String = "tour", _ metres: ClosedRange<Int> = 0...4000, _ fields: String = "") -> String
  {
    let points = stride(from: metres.lowerBound, through: metres.upperBound, by: 100).compactMap { north in
      Coordinate(latitude: 48 + Double(north) / 111_195, longitude: 11.5).map { CoursePoint($0) }
    }
    var line = JSONLine(capacity: 4096)
    Request.engine(.course(CourseRequest(name: name, change: .set(points, isPersistent: false)))).write(into: &line)
    // It ends with `};` and a line end.
    return String(decoding: line.bytes, as: UTF8.self).dropLast(3) + fields + "};\n"
  }

  @Test func `A reader receives the course at each fix that it is sent, after that`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let reader = try daemon.watch(filter: 0, #","course":true"#)
    let other = try daemon.watch(filter: 0)
    let filtered = try daemon.watch(filter: 100, #","course":true"#)
    #expect(try reader.ask(request()).courses.map(\.state) == [.before])
    daemon.ride(0...40)
    let lines = try reader.take()
    let courses = lines.courses
    #expect(
      lines.filter { ["TPV", "COURSE"].contains($0.name) }.map(\.name).prefix(8) == [
        "TPV", "COURSE", "TPV", "COURSE", "TPV", "COURSE", "TPV", "COURSE",
      ])
    #expect(courses.map(\.seq) == lines.fixes.map(\.seq) && courses.last?.time == lines.fixes.last?.time)
    #expect(courses.first?.state == .before && courses.last?.state == .on)
    #expect(abs((courses.last?.along ?? 0) - 800) < 5 && abs((courses.last?.remaining ?? 0) - 3200) < 5)
    #expect(courses.last?.timeRemaining == .seconds(160))
    #expect(try other.take().courses.isEmpty)
    let few = try filtered.take()
    // Every change of state, and the fixes that pass the filter.
    #expect(few.courses.contains { $0.state == .on } && few.courses.count < 12)
  }

  @Test func `Pieces continue the course, and the rider stays where he is on it`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let reader = try daemon.watch(filter: 0, #","course":true"#)
    _ = try reader.ask(request("tour", 0...1000))
    daemon.ride(0...20)
    #expect(try reader.take().courses.last?.remaining.map { abs($0 - 600) < 5 } == true)
    let answer = try reader.ask(request("tour", 1100...4000, #","append":true"#)).courses
    #expect(answer.map(\.state) == [.on])
    daemon.ride(21...30)
    let last = try #require(try reader.take().courses.last)
    #expect(last.state == .on && abs((last.along ?? 0) - 600) < 5 && abs((last.remaining ?? 0) - 3400) < 5)
    #expect(
      try reader.ask(request("none", 0...100, #","append":true"#)).errors.first?.message
        == #"there is no course "none""#)
  }

  @Test func `Cues are ahead in the order of the line`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let reader = try daemon.watch(filter: 0, #","course":true"#)
    _ = try reader.ask(request())
    _ = try reader.ask(#"?CUE={"course":"tour","at":2000,"text":"Summit","kind":"summit"};"#)
    _ = try reader.ask(#"?CUE={"course":"tour","lat":48.0053959,"lon":11.5001,"text":"Left"};"#)
    let far = try reader.ask(#"?CUE={"course":"tour","lat":49,"lon":11.5,"text":"Far"};"#)
    #expect(far.errors.first?.message.contains("more than 100 m from the course") == true)
    let beyond = try reader.ask(#"?CUE={"course":"tour","at":4500,"text":"Far"};"#)
    #expect(beyond.errors.first?.message.contains("is not on the course") == true)
    daemon.ride(0...40)
    let courses = try reader.take().courses
    #expect(courses.compactMap(\.cue).first == "Left" && courses.last?.cue == "Summit")
    #expect(courses.last?.cueKind == "summit" && abs((courses.last?.cueDistance ?? 0) - 1200) < 5)
  }

  @Test func `The course chosen last is followed, and when it ends the one before it is again`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let (first, second) = (
      try daemon.watch(filter: 0, #","course":true"#), try daemon.watch(filter: 0, #","course":true"#)
    )
    _ = try first.ask(request("long"))
    daemon.ride(0...20)
    _ = try first.take()
    #expect(try second.ask(request("short", 0...2000)).courses.map(\.name) == ["short"])
    #expect(try first.take().courses.map(\.name) == ["short"])
    daemon.ride(21...30)
    #expect(try first.take().courses.allSatisfy { $0.name == "short" })
    #expect(try first.ask("?COURSE;").courses.map(\.state) == [.on, .kept])
    #expect(try second.ask(#"?COURSE={"name":"long"};"#).courses.map(\.name) == ["long"])
    #expect(try second.ask(#"?COURSE={"name":"short"};"#).courses.map(\.name) == ["short"])
    // It ends with its connection.
    _ = try first.take()
    second.close()
    let ended = try first.take().courses
    #expect(ended.map(\.name) == ["long", "short"] && ended.map(\.state) == [.on, .ended])
    daemon.ride(31...34)
    #expect(
      try first.take().courses.last.map { $0.name == "long" && $0.state == .on && abs(($0.along ?? 0) - 680) < 5 }
        == true)
    #expect(try first.ask(#"?COURSE={"name":"long","enable":false};"#).courses.map(\.state) == [.ended])
    #expect(try first.ask("?COURSE;").errors.map(\.code) == [.noCourse])
  }

  @Test func `A client that sets and ends courses leaves the followed one as it is`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let (reader, hostile) = (try daemon.watch(filter: 0, #","course":true"#), daemon.connect())
    _ = try reader.ask(request())
    for number in 0...40 {
      for _ in 0..<25 {
        _ = try hostile.ask(request("other \(number)", 0...300))
        _ = try hostile.ask("?COURSE={\"name\":\"other \(number)\",\"enable\":false};")
      }
      daemon.ride(number...number)
    }
    let courses = try reader.take().courses.filter { $0.state != .ended && $0.seq != nil && $0.name == "tour" }
    #expect(courses.last?.seq == 41 && courses.last?.state == .on && abs((courses.last?.along ?? 0) - 800) < 5)
  }

  @Test func `A client that does not read gets every change of state and the newest place`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = try daemon.watch(filter: 0, #","course":true"#)
    _ = try client.ask(request("tour", 0...1000))
    client.stopReading()
    daemon.ride(0...55)
    client.resumeReading()
    let courses = try client.take().courses
    #expect(courses.contains { $0.state == .on } && courses.contains { $0.state == .finished })
    #expect(courses.count < 8 && courses.last?.seq == 56)
  }

  @Test func `A course without a line is refused`() throws {
    let daemon = try VirtualDaemon()
    let client = try daemon.watch(filter: 0, #","course":true"#)
    for line in ["_izlhA~rlgdF", "_izlhA~rlgdF????"] {
      #expect(
        try client.ask(#"?COURSE={"name":"a","polyline":"\#(line)"};"#).errors.first?.message.contains("no line")
          == true)
    }
    #expect(try client.ask("?COURSE;").errors.map(\.code) == [.noCourse])
  }

  @Test func `Another client reads back what was set, over TCP, too`() throws {
    let daemon = try VirtualDaemon()
    let rider = daemon.connect()
    _ = try rider.ask(request())
    _ = try rider.ask(request("tour", 4100...6000, #","append":true"#))
    _ = try rider.ask(#"?CUE={"course":"tour","at":2000,"text":"Summit","kind":"summit"};"#)
    let client = daemon.connect(.gpsd)
    _ = try client.ask(#"?WATCH={"enable":false,"handlebar":true};"#)
    let piece = try #require(try client.ask(#"?COURSE={"name":"tour","from":0};"#).coursePieces.first)
    #expect(piece.points.count == 61 && piece.pointCount == 61 && piece.next == nil && piece.state == .before)
    #expect(piece.cues == [CourseCue(along: 2000, text: "Summit", kind: "summit")])
    #expect(try client.ask("?COURSE;").courses.first?.revision == piece.revision)
    // A shorter one replaces it before the reader has the end.
    _ = try rider.ask(request("tour", 0...400))
    let behind = try #require(try client.ask(#"?COURSE={"name":"tour","from":62};"#).coursePieces.first)
    #expect(behind.revision > piece.revision && behind.pointCount == 5 && behind.from == 62 && behind.next == nil)
    #expect(behind.points.isEmpty && behind.cues.isEmpty)
    for from in ["-1", "0.5", "null"] {
      #expect(try client.ask(#"?COURSE={"name":"tour","from":\#(from)};"#).errors.count == 1, "\(from)")
    }
    #expect(try client.ask(#"?COURSE={"name":"tour","from":9007199254740992};"#).coursePieces.count == 1)
    #expect(
      try client.ask(#"?COURSE={"name":"none","from":0};"#).errors.first?.message == #"there is no course "none""#)
    #expect(
      try client.ask(#"?COURSE={"name":"tour","from":0,"append":true};"#).errors.first?.message.contains(
        #"has no field "append""#) == true)
  }

  @Test func `A TCP client reads courses, and sets them only if it may control the daemon`() throws {
    for isAllowed in [false, true] {
      let daemon = try VirtualDaemon { $0.tcpControl = isAllowed }
      let client = daemon.connect(.gpsd)
      _ = try client.ask(#"?WATCH={"enable":false,"handlebar":true};"#)
      #expect(try client.ask("?COURSE;").errors.map(\.code) == [.noCourse])
      let lines = try client.ask(request())
      #expect(isAllowed ? lines.courses.count == 1 : lines.errors.map(\.code) == [.forbidden])
    }
  }
}
