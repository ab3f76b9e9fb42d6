import LocationCore
import Testing

@testable import GPSDProtocol

/// The line of a course.
struct CourseReportTests {
  @Test func `Every field is written and read back`() throws {
    var report = CourseReport(name: "tour", state: .on)
    report.time = UTCInstant(nanosecondsSince1970: 1_773_923_719_000_000_000)
    (report.seq, report.along, report.remaining, report.beside) = (7, 1234.25, 8765.75, -3.5)
    (report.bearing, report.distance, report.timeRemaining) = (271.5, 40, .seconds(1800))
    (report.ascent, report.grade, report.climb, report.climbAscent) = (310, -4.5, 900, 55.5)
    (report.cue, report.cueKind, report.cueDistance, report.isReverse) = ("At the \"Post\"", "left", 120, true)
    let text =
      #"{"class":"COURSE","name":"tour","state":"on","time":"2026-03-19T12:35:19.000Z","seq":7,"along":1234.25,"#
      + #""remaining":8765.75,"beside":-3.5,"bearing":271.5,"distance":40,"eta":1800,"ascent":310,"grade":-4.5,"climb":900,"#
      + #""climbAscent":55.5,"cue":"At the \"Post\"","cueKind":"left","cueDistance":120,"reverse":true}"#
    var line = JSONLine(lineEnd: .lf)
    report.write(into: &line)
    #expect(String(decoding: line.bytes, as: UTF8.self) == text + "\n")
    #expect(try Report(line: Array(text.utf8)[...]) == .course(report))
  }

  @Test func `A missing value is absent`() {
    var line = JSONLine(lineEnd: .lf)
    CourseReport(name: "tour", state: .before).write(into: &line)
    #expect(String(decoding: line.bytes, as: UTF8.self) == #"{"class":"COURSE","name":"tour","state":"before"}"# + "\n")
  }
}
