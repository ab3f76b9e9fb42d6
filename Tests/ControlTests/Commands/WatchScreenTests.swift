import GPSDProtocol
import LocationClient
import LocationCore
import RideTools
import Testing

@testable import Control

@Suite("The screen of watch")
struct WatchScreenTests {
  private static func screen(_ lines: String...) throws -> WatchScreen {
    var screen = WatchScreen(units: .metric, endpoint: "/run/s")
    screen.show(.connected(VersionReport(release: "9.9", revision: "9")), at: 0)
    for line in lines {
      let update = try #require(LocationClient.Update(try Report(line: Array(line.utf8)[...]), at: .now))
      screen.show(update, at: 1)
    }
    return screen
  }

  private static func satellites(_ count: Int) -> String {
    let all = (1...count).map {
      #"{"PRN":\#($0),"ss":\#(20 + $0),"used":\#($0 % 2 == 0),"gnssid":0,"svid":\#($0)}"#
    }
    return #"{"class":"SKY","satellites":[\#(all.joined(separator: ","))]}"#
  }

  private static let tracking = #"{"class":"STATE","state":"tracking","mode":3,"source":"recording","device":"a.nmea"}"#
  private static let position =
    #"{"class":"TPV","mode":3,"time":"2026-03-19T12:35:19.500Z","lat":48.1,"lon":11.5,"altMSL":545.4,"eph":4.25,"track":84.4,"speed":11.524,"seq":7}"#
  private static let plain = Style(isColoured: false)

  @Test func `It contains source, position, speed, course, accuracy, satellites, follow and events`() throws {
    let screen = try Self.screen(
      Self.tracking, Self.position, Self.satellites(12), #"{"class":"FOLLOW","view":"main","following":true}"#,
      #"{"class":"ARRIVAL","name":"home","state":"arriving","distance":99}"#)
    let lines = screen.lines(size: TerminalSize(), style: Self.plain, at: 1)
    let text = lines.joined(separator: "\n")
    for part in [
      "recording a.nmea", "tracking 3D", "12:35:19 UTC", "48.1000000, 11.5000000", "±4.3 m (95 %)", "545 m",
      "41.5 km/h",
      "84° E", "following", "12 in view, █ 6 used", "G01 G02", "█", "░", "target home is arriving", "q quits",
    ] { #expect(text.contains(part), "\(part)") }
    #expect(!text.contains("\u{1B}"))
    #expect(screen.lines(size: TerminalSize(), style: Style(isColoured: true), at: 1).joined().contains("\u{1B}[32m"))
    let late = screen.lines(size: TerminalSize(), style: Self.plain, at: 9).joined()
    #expect(late.contains("no position for 8 s"))
  }

  @Test(arguments: [(80, 24), (60, 15), (200, 60), (40, 12), (20, 5), (1, 1), (80, 3)])
  func `It fits any terminal`(columns: Int, rows: Int) throws {
    let screen = try Self.screen(Self.tracking, Self.position, Self.satellites(40))
    for isUnicode in [true, false] {
      let size = TerminalSize(columns: columns, rows: rows, isUnicode: isUnicode)
      let lines = screen.lines(size: size, style: Self.plain, at: 1)
      #expect(lines.count == rows)
      #expect(lines.allSatisfy { $0.count <= columns }, "\(lines)")
      #expect(isUnicode || lines.allSatisfy { $0.allSatisfy(\.isASCII) })
    }
  }

  @Test func `An estimated position is stated in the first line while there is no fix, and among the events`() throws {
    let lost = #"{"class":"STATE","state":"lost","source":"recording","device":"a.nmea"}"#
    let estimating: String = lost.dropLast() + #","estimating":true}"#
    func lines(_ states: String...) throws -> [String] {
      var screen = try Self.screen(Self.tracking, Self.position)
      for line in states {
        let update = try #require(LocationClient.Update(try Report(line: Array(line.utf8)[...]), at: .now))
        screen.show(update, at: 1)
      }
      return screen.lines(size: TerminalSize(), style: Self.plain, at: 1)
    }
    let during = try lines(lost, estimating)
    #expect(during[0].contains("lost, position estimated"))
    #expect(during.count { $0.contains("recording is lost; the position is estimated") } == 1)
    let after = try lines(lost, estimating, lost)
    #expect(after[0].contains("lost") && !after[0].contains("estimated"))
  }

  @Test func `Jamming and spoofed signals are a line and an event while the receiver states them`() throws {
    func stating(_ fields: String) -> String { Self.tracking.dropLast() + ",\(fields)}" }
    let jammed = stating(
      #""jamming":"critical","jammingSource":"MON-RF","spoofing":"indicated","spoofingSource":"NAV-STATUS""#)
    let clear = stating(#""jamming":"ok","jammingSource":"MON-RF""#)
    let warning = "jamming critical (MON-RF), spoofing indicated (NAV-STATUS)"
    var screen = try Self.screen(Self.tracking, Self.position, jammed)
    var lines = screen.lines(size: TerminalSize(), style: Self.plain, at: 1)
    #expect(lines.contains("Signals   \(warning)"))
    #expect(lines.count { $0.contains("recording is tracking") } == 2)
    screen = try Self.screen(Self.tracking, Self.position, jammed, clear)
    lines = screen.lines(size: TerminalSize(), style: Self.plain, at: 1)
    #expect(!lines.contains { $0.hasPrefix("Signals") })
    #expect(lines.count { $0.contains("recording is tracking") } == 3)
  }

  @Test func `An antenna is a line where it is a fault: of open ones the daemon knows the passive ones`() throws {
    func signals(_ state: String, _ antenna: String, _ reason: String = "searching") throws -> [String] {
      let fields = #","antenna":"\#(antenna)","antennaSource":"TXT","reason":"\#(reason)"}"#
      let report = Self.tracking.split(separator: "tracking").joined(separator: state).dropLast() + fields
      let screen = try Self.screen(String(report), Self.position)
      return screen.lines(size: TerminalSize(), style: Self.plain, at: 1).filter { $0.hasPrefix("Signals") }
    }
    #expect(try signals("tracking", "open").isEmpty)
    #expect(try signals("acquiring", "open").isEmpty)
    #expect(try signals("acquiring", "open", "antenna") == ["Signals   antenna open (TXT)"])
    #expect(try signals("tracking", "short") == ["Signals   antenna short (TXT)"])
    #expect(try signals("acquiring", "ok").isEmpty)
  }

  @Test func `Why there is no fix is a line, and an event only when it changes`() throws {
    func state(_ state: String, _ fields: String) -> String {
      #"{"class":"STATE","state":"\#(state)","source":"serial"\#(fields)}"#
    }
    let searching = (1...3).map { state("acquiring", #","reason":"searching","signals":\#($0),"strongSignals":1"#) }
    let silent = state("acquiring", #","reason":"silent","reasonSince":1"#)
    let failed = state("failed", #","reason":"denied","error":"denied","message":"not for you""#)
    let screen = try Self.screen(searching[0], searching[1], searching[2])
    let lines = screen.lines(size: TerminalSize(), style: Self.plain, at: 1)
    #expect(lines.contains("No fix    searching, signals: 3, strong: 1"))
    #expect(lines.count { $0.contains("serial is acquiring: searching") } == 1)
    let tracking = try Self.screen(searching[0], Self.tracking)
    #expect(!tracking.lines(size: TerminalSize(), style: Self.plain, at: 1).contains { $0.hasPrefix("No fix") })
    var plain = WatchLines(units: .metric)
    let updates = try [silent, searching[0], searching[1], failed].map {
      try #require(LocationClient.Update(try Report(line: Array($0.utf8)[...]), at: .now))
    }
    let texts = updates.map { plain.lines($0).joined(separator: " ") }
    #expect(texts[0] == "serial is acquiring: nothing arrives: check its cable and its supply")
    #expect(texts[1] == "serial is acquiring: searching, signals: 1, strong: 1" && texts[2].isEmpty)
    #expect(texts[3] == "serial is failed: not for you", "the error says why")
  }

  @Test func `Each reason of no fix has words, but those that the error of a source says`() {
    let withoutWords = AbsenceReason.allCases.filter { reason in
      var state = StateReport(phase: .acquiring)
      state.reason = .init(rawValue: reason.rawValue)
      return ReportText.absence(state) == reason.rawValue
    }
    #expect(withoutWords == [.denied, .busy, .disabled, .unavailable, .misconfigured, .wrongSpeed])
  }

  @Test func `A lost daemon is shown in the header`() throws {
    var screen = try Self.screen(Self.tracking, Self.position)
    screen.show(.disconnected(.closed), at: 2)
    let lines = screen.lines(size: TerminalSize(), style: Self.plain, at: 2)
    #expect(lines.first?.hasPrefix("no daemon at /run/s") == true)
  }

  @Test func `A trip is shown until it ends, and its transitions only without a terminal`() throws {
    let trip =
      #"{"class":"TRIP","name":"day","state":"moving","distance":1200,"duration":95,"movingTime":90,"lap":1,"#
      + #""lapDistance":1200,"lapMovingTime":90}"#
    let ended = trip.split(separator: "\"moving\"").joined(separator: "\"ended\"")
    var screen = try Self.screen(Self.tracking, Self.position, trip)
    func hasTrip() -> Bool {
      screen.lines(size: TerminalSize(), style: Self.plain, at: 1).contains {
        $0.hasPrefix("Trip      day: moving, 1.20 km in ")
      }
    }
    #expect(hasTrip())
    var lines = WatchLines(units: .metric)
    let updates = try [trip, trip, ended].map {
      try #require(LocationClient.Update(try Report(line: Array($0.utf8)[...]), at: .now))
    }
    #expect(updates.map { lines.lines($0).count } == [1, 0, 1])
    screen.show(updates[2], at: 2)
    #expect(!hasTrip())
  }

  @Test func `A course is shown until it ends, and its transitions only without a terminal`() throws {
    let on =
      #"{"class":"COURSE","name":"tour","state":"on","along":1200,"remaining":4300,"ascent":85,"eta":900,"cue":"Left","cueDistance":250}"#
    let off =
      #"{"class":"COURSE","name":"tour","state":"off","along":1300,"remaining":4200,"bearing":270,"distance":130}"#
    let ended = #"{"class":"COURSE","name":"tour","state":"ended"}"#
    let updates = try [on, on, off, ended].map {
      try #require(LocationClient.Update(try Report(line: Array($0.utf8)[...]), at: .now))
    }
    var lines = WatchLines(units: .metric)
    #expect(updates.map { lines.lines($0).count > 0 } == [true, false, true, true])
    var screen = try Self.screen(Self.tracking, Self.position)
    func course() -> String? {
      screen.lines(size: TerminalSize(), style: Self.plain, at: 1).first { $0.hasPrefix("Course") }
    }
    screen.show(updates[0], at: 1)
    #expect(course()?.hasPrefix("Course    tour: on, 4.30 km to go, 85 m up, 15 min 0 s; in 250 m: Left") == true)
    screen.show(updates[2], at: 1)
    #expect(course()?.contains("off, 4.20 km to go; it is 130 m away, bearing 270°") == true)
    screen.show(updates[3], at: 1)
    #expect(course() == nil)
  }

  @Test func `A recording that starts, fails or ends while watching is an event`() throws {
    var reports = ["recording", "failed", "stopped"].map { RecordReport(state: .init($0)) }
    reports[0].ride = "20260319T120000Z"
    reports[1].error = "No space left on device"
    let events = [
      "recording: ride 20260319T120000Z", "recording: failed, will be retried: No space left on device",
      "recording: stopped; start it: handlebarctl record start",
    ]
    var lines = WatchLines(units: .metric)
    #expect(reports.flatMap { lines.lines(.record($0)) } == events)
    var screen = try Self.screen(Self.tracking, Self.position)
    for report in reports { screen.show(.record(report), at: 1) }
    let shown = screen.lines(size: TerminalSize(), style: Self.plain, at: 1)
    #expect(events.allSatisfy { event in shown.contains { $0.hasSuffix(event) } }, "\(shown)")
  }

  @Test func `A note stands at the foot`() {
    let screen = WatchScreen(units: .metric, endpoint: "/run/s", note: "map: http://127.0.0.1:1/")
    #expect(screen.lines(size: TerminalSize(), style: Self.plain, at: 0).last == "q quits   map: http://127.0.0.1:1/")
  }
}

@Suite("Units")
struct UnitsTests {
  @Test(arguments: Units.allCases)
  func `Speeds and lengths are shown in each unit`(units: Units) {
    switch units {
    case .metric:
      #expect(
        units.speed(10) == "36.0 km/h" && units.distance(1234) == "1.23 km" && units.length(5, decimals: 1) == "5.0 m")
    case .imperial:
      #expect(units.speed(10) == "22.4 mph" && units.distance(1609.344) == "1.00 mi")
      #expect(units.length(3.048, decimals: 0) == "10 ft")
    case .si: #expect(units.speed(10) == "10.0 m/s" && units.distance(1234) == "1234 m")
    }
    #expect(units.speed(nil) == "-")
  }
}
