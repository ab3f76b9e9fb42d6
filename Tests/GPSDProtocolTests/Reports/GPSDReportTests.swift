import GPSDProtocol
import LocationCore
import Testing

/// Lines of a gpsd as the engine gets them.
@Suite struct GPSDReportTests {
  private static func read(_ text: String) -> GPSDReport? {
    Array(text.utf8).withUnsafeBufferPointer { GPSDReport(line: $0, at: .zero + .milliseconds(7)) }
  }

  private static func fix(_ text: String) throws -> Fix {
    guard case .position(let position) = read(text) else { throw NoFix() }
    return try #require(position.fix)
  }

  private struct NoFix: Error {}

  @Test func `A TPV of gpsd 3.22 is read with every value`() throws {
    let line =
      #"{"class":"TPV","device":"/dev/ttyACM0","status":2,"mode":3,"time":"2026-03-19T12:35:19.200Z","leapseconds":18,"ept":0.005,"lat":48.117300000,"lon":11.516666667,"altHAE":592.300,"altMSL":545.400,"alt":545.400,"epx":1.5,"epy":2.5,"epv":3.5,"track":84.4000,"magtrack":80.1,"magvar":3.2,"speed":11.524,"climb":0.1,"epd":6.5,"eps":0.4,"eph":2.9,"sep":4.1,"dgpsAge":1.5,"dgpsSta":120}"#
      + "\r\n"
    let fix = try Self.fix(line)
    #expect(fix.position == Coordinate(latitude: 48.1173, longitude: 11.516666667))
    #expect(fix.mode == .threeD && fix.status == .dgps && fix.received == .zero + .milliseconds(7))
    #expect(fix.measured == UTCInstant(iso8601: "2026-03-19T12:35:19.2Z".utf8))
    #expect(fix.timeOfDay == TimeOfDay(hour: 12, minute: 35, second: 19, nanosecond: 200_000_000))
    #expect(fix.altitudeMSL == 545.4 && abs((fix.geoidSeparation ?? 0) - 46.9) < 1e-9)
    #expect(fix.speed == 11.524 && fix.course == 84.4 && fix.magneticVariation == 3.2)
    #expect(fix.longitudeError == 1.5 && fix.latitudeError == 2.5 && fix.verticalAccuracy == 3.5)
    #expect(fix.horizontalAccuracy == 2.9 && fix.speedAccuracy == 0.4)
    #expect(fix.climb == 0.1 && fix.courseAccuracy == 6.5)
    #expect(fix.dgpsAge == 1.5 && fix.dgpsStation == 120)
  }

  @Test func `An altitude above the ellipsoid and a geoid separation give one above sea level`() throws {
    let fix = try Self.fix(#"{"class":"TPV","mode":3,"lat":1,"lon":2,"altHAE":592.3,"geoidSep":46.9}"#)
    #expect(abs((fix.altitudeMSL ?? 0) - 545.4) < 1e-9 && fix.geoidSeparation == 46.9)
  }

  @Test(
    arguments: [(3.919928, 3.919928, 4.895494), (3.919928, 0, 3.919928), (0, 0, nil)] as [(Double, Double, Double?)])
  func `Without eph the radius follows from epx and epy`(_ epx: Double, _ epy: Double, _ radius: Double?) throws {
    let errors = #""epx":\#(epx),"epy":\#(epy)"#
    let accuracy = try Self.fix(#"{"class":"TPV","mode":3,"lat":1,"lon":2,\#(errors)}"#).horizontalAccuracy
    #expect(radius == nil ? accuracy == nil : abs((accuracy ?? 0) - (radius ?? 0)) < 0.01)
    #expect(try Self.fix(#"{"class":"TPV","mode":3,"lat":1,"lon":2,\#(errors),"eph":3}"#).horizontalAccuracy == 3)
    #expect(try Self.fix(#"{"class":"TPV","mode":3,"lat":1,"lon":2,"epx":\#(epx)}"#).horizontalAccuracy == nil)
  }

  @Test func `Absent values and values out of range are nil`() throws {
    let plain = try Self.fix(#"{"class":"TPV","mode":2,"lat":1,"lon":2,"alt":5}"#)
    #expect(plain.mode == .twoD && plain.status == .normal && plain.measured == nil && plain.altitudeMSL == 5)
    #expect(plain.speed == nil && plain.course == nil && plain.horizontalAccuracy == nil)
    let wild = try Self.fix(
      #"{"class":"TPV","mode":3,"lat":1,"lon":2,"speed":-1,"track":361,"eph":-3,"altHAE":9,"alt":9,"time":"yesterday"}"#
    )
    #expect(wild.speed == nil && wild.course == nil && wild.horizontalAccuracy == nil && wild.altitudeMSL == nil)
    #expect(wild.measured == nil)
  }

  @Test(
    arguments: [
      #"{"class":"TPV","mode":1,"lat":1,"lon":2}"#, #"{"class":"TPV","mode":0}"#,
      #"{"class":"TPV","mode":3,"lat":91,"lon":2}"#,
      #"{"class":"TPV","mode":3,"lat":1}"#, #"{"class":"TPV","mode":3.5,"lat":1,"lon":2}"#,
      #"{"class":"TPV","mode":3,"lat":"1","lon":2}"#, #"{"class":"TPV","mode":3,"lat":null,"lon":2}"#,
    ]
  )
  func `A TPV without mode or position has no fix`(line: String) {
    guard case .position(let position) = Self.read(line) else {
      Issue.record("no report")
      return
    }
    #expect(position.fix == nil)
  }

  @Test func `Satellites and errors have the path of their device`() throws {
    let sky = Self.read(
      #"{"class":"SKY","device":"a","time":"2026-03-19T12:35:19Z","hdop":0.9,"nSat":3,"satellites":[{"PRN":8,"el":56,"az":360,"ss":28,"used":true,"gnssid":0,"svid":8},{"el":1},{"PRN":70,"ss":0.0,"used":false,"x":{"y":[1,2]}}]}"#
    )
    guard case .sky("a", let read) = sky else {
      Issue.record("no sky")
      return
    }
    #expect(read.hdop == 0.9 && read.used == 1)
    #expect(
      read.satellites == [
        Satellite(prn: 8, gnss: .gps, svid: 8, elevation: 56, azimuth: 0, signal: 28, used: true), Satellite(prn: 70),
      ])
    guard
      case .noise("a", let noise) = Self.read(#"{"class":"GST","device":"a","rms":2.5,"lat":1.5,"lon":1.25,"alt":3}"#)
    else {
      Issue.record("no noise")
      return
    }
    #expect(noise.rms == 2.5 && noise.latitude == 1.5 && noise.longitude == 1.25 && noise.altitude == 3)
    #expect(Self.read(#"{"class":"VERSION","release":"3.25"}"#) == nil)
  }

  @Test(
    arguments: [
      "", "{", "}", "[]", "{}", #"{"class":"TPV""#, #"{"class":"TPV",}"#, #"{"class":"TPV"} x"#, #"{"class":TPV}"#,
      #"{"class":"TPV","lat":01x}"#, #"{"class":"TPV","lat":+}"#, #"{"class":"TPV","lat":nan}"#,
      #"{"class":"TPV""mode":3}"#,
      #"{"class":"TPV","a":{"b":[1}"#, #"{"class":"TPV","a":"\"#, #"{class:"TPV"}"#, #"{"mode":3}"#,
      #"{"class":"TPV","a":truth}"#,
    ]
  )
  func `A line that is not a JSON object with a class is not a report`(line: String) {
    #expect(Array(line.utf8).withUnsafeBufferPointer { Report(anyRelease: $0) } == nil)
  }

  @Test func `No bytes trap, and a line cut anywhere is no report`() throws {
    let line =
      #"{"class":"TPV","device":"d","mode":3,"time":"2026-03-19T12:35:19Z","lat":48.1,"lon":11.5,"x":[{"a":"}"}]}"#
    #expect(try Self.fix(line).position.latitude == 48.1)
    for end in 0..<line.utf8.count { #expect(Self.read(String(line.utf8.prefix(end)) ?? "") == nil) }
    var generator = SeededGenerator(state: 9)
    for _ in 0..<3000 {
      var bytes = Array(line.utf8)
      for _ in 0...Int.random(in: 0..<4, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      let report = bytes.withUnsafeBufferPointer { GPSDReport(line: $0, at: .zero) }
      guard case .position(let position) = report, let fix = position.fix else { continue }
      #expect((-90...90).contains(fix.position.latitude) && (-180...180).contains(fix.position.longitude))
    }
  }
}
