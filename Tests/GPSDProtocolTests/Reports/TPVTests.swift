import GPSDProtocol
import LocationCore
import Testing

@Suite struct TPVTests {
  private func fullFix() throws -> Fix {
    var fix = Fix(
      position: try #require(Coordinate(latitude: 48.1173, longitude: 11.516666667)), mode: .threeD,
      measured: UTCInstant(nanosecondsSince1970: 1_773_923_719_000_000_000), received: .zero)
    fix.altitudeMSL = 545.4
    fix.geoidSeparation = 46.9
    fix.speed = 11.524
    fix.course = 84.4
    fix.magneticVariation = 3.1
    fix.horizontalAccuracy = 4.2
    fix.verticalAccuracy = 7.25
    fix.latitudeError = 2.5
    fix.longitudeError = 3.375
    fix.speedAccuracy = 0.4
    fix.climb = -1.25
    fix.courseAccuracy = 12.5
    fix.heading = 80.5
    fix.dgpsAge = 1.5
    fix.dgpsStation = 120
    fix.status = .dgps
    return fix
  }

  @Test func `Every field is written in order`() throws {
    var published = PublishedFix(fix: try fullFix(), seq: 7, source: 0, changes: .suspect)
    published.bend = -12.34
    let text = JSONLine.text { line in
      TPV.body(published.fix, device: "/dev/gps0", into: &line)
      TPV.finish(&line, published, reason: .snapshot, age: 0.25, source: "main")
    }
    #expect(
      text == #"{"class":"TPV","device":"/dev/gps0","mode":3,"status":2,"time":"2026-03-19T12:35:19.000Z","#
        + #""lat":48.117300000,"lon":11.516666667,"altHAE":592.3,"altMSL":545.4,"alt":545.4,"#
        + #""epx":3.375,"epy":2.5,"epv":7.25,"eph":4.2,"track":84.4,"magtrack":81.3,"magvar":3.1,"#
        + #""speed":11.524,"climb":-1.25,"epd":12.5,"eps":0.4,"geoidSep":46.9,"dgpsAge":1.5,"dgpsSta":120,"#
        + #""heading":80.5,"seq":7,"reason":"snapshot","age":0.25,"source":"main","suspect":true,"bend":-12.34}"#
        + "\r\n")
  }

  @Test func `A sparse fix has mode and status`() throws {
    let fix = Fix(position: try #require(Coordinate(latitude: 0, longitude: -180)), mode: .twoD, received: .zero)
    let text = JSONLine.text { line in
      TPV.body(fix, device: nil, into: &line)
      line.end()
    }
    #expect(
      text == #"{"class":"TPV","mode":2,"status":1,"lat":0.000000000,"lon":-180.000000000}"# + "\r\n")
  }

  @Test func `One body takes several endings`() throws {
    let published = PublishedFix(fix: try fullFix(), seq: 9, source: 0)
    var line = JSONLine()
    TPV.body(published.fix, device: "/dev/gps0", into: &line)
    let body = line.count
    TPV.finish(&line, published, reason: .moved, source: "main")
    let moved = line.text
    line.truncate(to: body)
    TPV.finish(&line, published, reason: .first, source: "main")
    #expect(moved.hasSuffix(#","dgpsSta":120,"heading":80.5,"seq":9,"reason":"moved","source":"main"}"# + "\r\n"))
    #expect(line.text == moved.replacingReason("moved", with: "first"))
  }

  static let several: [(reason: DeliveryReason, changes: FixChanges, reasons: String?)] = [
    (.regained, [.regained, .started, .suspect], "regained,started"),
    (.first, [.source, .mode, .stopped], "first,source,mode,stopped"), (.started, .started, nil), (.moved, [], nil),
    (.snapshot, [.mode, .stopped], nil),
  ]

  @Test(arguments: several)
  func `Several reasons are all written`(reason: DeliveryReason, changes: FixChanges, reasons: String?) throws {
    let published = PublishedFix(fix: try fullFix(), seq: 9, source: 0, changes: changes)
    let text = JSONLine.text { line in
      TPV.body(published.fix, device: nil, into: &line)
      TPV.finish(&line, published, reason: reason, source: "main")
    }
    guard case .tpv(let tpv) = try Report(line: Array(text.utf8.dropLast(2))[...]) else {
      Issue.record("not a TPV")
      return
    }
    #expect(tpv.reason == reason.rawValue)
    #expect(tpv.reasons == reasons)
  }

  @Test func `An epoch without a fix has no position`() {
    let text = JSONLine.text { line in
      TPV.noFix(time: UTCInstant(nanosecondsSince1970: 0), device: "/dev/gps0", into: &line)
      TPV.finish(&line, seq: nil, reason: "lost", source: "main")
    }
    #expect(
      text == #"{"class":"TPV","device":"/dev/gps0","mode":1,"status":0,"time":"1970-01-01T00:00:00.000Z","#
        + #""reason":"lost","source":"main"}"# + "\r\n")
  }

  @Test(arguments: [(1.0, 2.5, "358.5"), (359, -2.5, "1.5"), (10, 10, "0"), (357.5, -2.5, "0")])
  func `The magnetic track stays within 0 to 360 degrees`(course: Double, variation: Double, expected: String) throws {
    var fix = Fix(position: try #require(Coordinate(latitude: 0, longitude: 0)), mode: .twoD, received: .zero)
    fix.course = course
    fix.magneticVariation = variation
    let text = JSONLine.text { TPV.body(fix, device: nil, into: &$0) }
    #expect(text.contains(#""magtrack":\#(expected),"#))
  }

  /// Widest values there are: one fix never comes near the bound of a line.
  @Test func `The widest fix stays short`() throws {
    var fix = try fullFix()
    for path in [
      \Fix.altitudeMSL, \.geoidSeparation, \.speed, \.course, \.magneticVariation, \.horizontalAccuracy,
      \.verticalAccuracy,
      \.latitudeError, \.longitudeError, \.speedAccuracy, \.dgpsAge, \.climb,
      \.courseAccuracy,
    ] { fix[keyPath: path] = -.greatestFiniteMagnitude }
    fix.dgpsStation = .min
    let long = String(repeating: "\u{1}", count: 5000)
    let text = JSONLine.text { line in
      TPV.body(fix, device: long, into: &line)
      TPV.finish(&line, heading: -1e300, seq: .max, reason: long, age: 1e300, source: long, suspect: true)
    }
    #expect(text.utf8.count < 3000)
    #expect(throws: Never.self) { try Report(line: Array(text.utf8)[...]) }
  }
}

extension String {
  fileprivate func replacingReason(_ old: String, with new: String) -> String {
    split(separator: #""reason":"\#(old)""#, maxSplits: 1).joined(separator: #""reason":"\#(new)""#)
  }
}
