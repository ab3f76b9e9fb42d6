import GPSDProtocol
import Glibc
import LocationCore
import LocationClientTesting
import Testing

@Suite(.enabled(if: Tool.path != nil, "handlebarctl is not built beside the tests"), .timeLimit(.minutes(5)))
struct SteeringTests {
  private func outcome(
    _ arguments: [String], _ answer: @escaping @Sendable (Request) -> [String]
  ) async throws -> (Tool.Outcome, [Request]) {
    let daemon = try FakeDaemon(answer: answer)
    try await daemon.start()
    let outcome = try await Tool.run(["--socket", daemon.path] + arguments)
    return (outcome, daemon.received.withLock { $0.filter { $0 != .version } })
  }

  @Test func `follow shows and changes the state of a view`() async throws {
    let answer: @Sendable (Request) -> [String] = { request in
      guard case .question(.follow(let view?)) = request else { return [] }
      return [#"{"class":"FOLLOW","view":"\#(view)","following":true,"reason":"requested"}"#]
    }
    let (shown, asked) = try await outcome(["follow"], answer)
    #expect(shown.output == "view main is following (requested)\n")
    #expect(asked == [.question(.follow(view: "main"))])
    let (_, released) = try await outcome(["follow", "off", "--view", "map"], answer)
    #expect(released == [.engine(.setFollow(view: "map", enable: false)), .question(.follow(view: "map"))])
  }

  @Test func `view accepts negative coordinates`() async throws {
    let (shown, asked) = try await outcome([
      "view", "-33.85", "-151.2", "--seq", "12", "--cause", "user", "--view", "map",
    ]) { request in
      guard case .question(.follow) = request else { return [] }
      return [#"{"class":"FOLLOW","view":"map","following":false,"reason":"drift","distance":150}"#]
    }
    #expect(shown.code == 0)
    #expect(shown.output == "view map is not following (drift, 150.0 m away)\n")
    let place = try #require(Coordinate(latitude: -33.85, longitude: -151.2))
    #expect(
      asked == [
        .engine(.view(ViewRequest(view: "map", coordinate: place, seq: 12, cause: .user))),
        .question(.follow(view: "map")),
      ])
  }

  @Test func `target is listed, set and removed, also by the words of earlier releases`() async throws {
    let answer: @Sendable (Request) -> [String] = { request in
      if case .engine(.removeTarget) = request { return [] }
      return [#"{"class":"ARRIVAL","name":"home","state":"away","distance":900.4,"bearing":12.4,"eta":75}"#]
    }
    let place = try #require(Coordinate(latitude: -1.5, longitude: 2.5))
    for words in [["set", "home"], ["home"]] {
      let (set, asked) = try await outcome(["target"] + words + ["-1.5", "2.5", "--radius", "50"], answer)
      #expect(set.output == "target home is away, 900 m, bearing 12°, in 1 min 15 s\n")
      #expect(
        asked == [.engine(.setTarget(TargetRequest(name: "home", position: place, radius: 50, isPersistent: true)))])
    }
    for words in [["remove", "home"], ["home", "off"]] {
      let (removed, removal) = try await outcome(["target"] + words, answer)
      #expect(removed.output == "target home is removed\n")
      #expect(removal == [.engine(.removeTarget(name: "home"))])
    }
    for words in [[], ["list"]] {
      let (list, question) = try await outcome(["target"] + words, answer)
      #expect(
        list.output == "target home is away, 900 m, bearing 12°, in 1 min 15 s\n" && question == [.question(.targets)])
    }
    for words in [["home"], ["set", "home"], ["set", "home", "1"], ["remove"]] {
      #expect(try await outcome(["target"] + words, answer).0.code == 64)
    }
  }

  @Test func `trip shows, changes and ends trips`() async throws {
    let line =
      #"{"class":"TRIP","name":"day","state":"moving","distance":12345.6,"duration":3725,"movingTime":3600,"#
      + #""ascent":120,"averageSpeed":3.4293,"maxSpeed":10,"lap":2,"lapDistance":345.6,"lapMovingTime":95}"#
    let (shown, asked) = try await outcome(["trip", "day"]) { _ in [line] }
    #expect(shown.code == 0 && asked == [.engine(.trip(TripRequest(name: "day")))])
    for text in ["day, moving", "1:02:05", "12.35 km", "120 m", "12.3 km/h", "0.35 km"] {
      #expect(shown.output.contains(text), "\(text): \(shown.output)")
    }
    for (word, change) in [("lap", TripChange.lap), ("reset", .reset), ("end", .end), ("off", .end)] {
      #expect(
        try await outcome(["trip", "day", word]) { _ in [line] }.1 == [
          .engine(.trip(TripRequest(name: "day", change: change)))
        ])
    }
    let (none, all) = try await outcome(["trip"]) { _ in
      [#"{"class":"ERROR","message":"no trip has been started","code":"noTrip","request":"TRIP"}"#]
    }
    #expect(none.code == 0 && none.output == "" && all == [.question(.trips)])
  }

  @Test func `sensor lists the sensors, and says what a line and an option are`() async throws {
    let (list, question) = try await outcome(["sensor"]) { _ in
      [
        #"{"class":"SENSOR","sensor":"crank","source":"left","value":83.2,"unit":"1/min","revolutions":12,"age":0.2}"#,
        #"{"class":"SENSOR","sensor":"pressure","value":95012.25,"unit":"Pa","age":75,"implausible":true}"#,
      ]
    }
    #expect(
      list.output == "crank left: 83 1/min\npressure: 95012.3 Pa, 1 min 15 s ago, implausible\n"
        && question == [.question(.sensors)])
    let (none, _) = try await outcome(["sensor"]) { _ in
      [#"{"class":"ERROR","message":"no sensor has sent a reading","code":"noSensor","request":"SENSOR"}"#]
    }
    #expect(none.code == 0 && none.output == "")
    for words in [
      ["speed"], ["--source", "a"], ["power", "--wrap", "5"], ["wheel", "--wrap", "1"], ["power", "--source", ""],
    ] {
      #expect(try await outcome(["sensor"] + words) { _ in [] }.0.code == 64, "\(words)")
    }
  }

  @Test func `course sets, shows, follows and ends courses`() async throws {
    let path = "/tmp/handlebar-\(getpid())-course.gpx"
    defer { unlink(path) }
    func write(_ text: String) throws {
      let file = try #require(fopen(path, "w"))
      fputs(text, file)
      fclose(file)
    }
    try write(
      """
      <gpx><wpt lat="48.005" lon="11.5"><name>Left</name><sym>left</sym></wpt><wpt lat="49" lon="11.5"><name>Far</name></wpt>
      <trk><trkseg><trkpt lat="48" lon="11.5"/><trkpt lat="48.005" lon="11.5"/><trkpt lat="48.01" lon="11.5"/></trkseg></trk></gpx>
      """)
    let line = #"{"class":"COURSE","name":"tour","state":"before","remaining":1112}"#
    let (set, asked) = try await outcome(["course", "set", path, "--name", "tour"]) { _ in [line] }
    #expect(set.code == 0 && set.output == "course tour is not begun, 1.11 km to go\n")
    #expect(set.errors.contains("left out 1 named points"))
    guard case .engine(.course(let course))? = asked.first, case .set(let points, isPersistent: true) = course.change,
      case .engine(.cue(let cue))? = asked.last
    else {
      Issue.record("\(asked)")
      return
    }
    #expect(course.name == "tour" && points.count == 2 && asked.count == 2)
    #expect(cue.course == "tour" && cue.cue.text == "Left")
    for (arguments, request) in [
      (["show"], Request.question(.courses)), (["follow", "tour"], .engine(.course(CourseRequest(name: "tour")))),
      (["end", "tour"], .engine(.course(CourseRequest(name: "tour", change: .end)))),
    ] {
      let (shown, asked) = try await outcome(["course"] + arguments) { _ in [line] }
      #expect(shown.output == set.output && asked == [request])
    }
    try write("<gpx><wpt lat=\"1\" lon=\"1\"/></gpx>")
    let (none, nothing) = try await outcome(["course", "set", path, "--name", "tour"]) { _ in [line] }
    #expect(none.code == 65 && none.errors.split(separator: "\n").count == 1 && nothing.isEmpty)
  }

  @Test func `An error of the daemon is one line`() async throws {
    let (refused, _) = try await outcome(["target", "home", "off"]) { _ in
      [#"{"class":"ERROR","message":"there is no target \"home\"","code":"request","request":"TARGET"}"#]
    }
    #expect(refused.code == 1)
    #expect(refused.errors == "handlebarctl: there is no target \"home\"\n")
  }

  @Test func `locate prints all values of the fix`() async throws {
    let line =
      #"{"class":"TPV","mode":3,"status":1,"time":"2026-03-19T12:35:19.500Z","lat":48.1,"lon":11.5,"altMSL":545.4,"eph":4.2,"track":84.4,"speed":11.5,"seq":7,"reason":"requested","age":0.3,"source":"main"}"#
    let (shown, asked) = try await outcome(["locate", "--timeout", "1.5", "--max-age", "3"]) { _ in [line] }
    #expect(
      shown.output
        == "48.1000000, 11.5000000 ±4.2 m, altitude 545.4 m, speed 41.4 km/h, heading 84.4°, 3D, 2026-03-19T12:35:19.500Z, 0.3 s old, from main\n"
    )
    #expect(asked == [.engine(.locate(timeout: 1.5, maxAge: 3))])
    let (si, _) = try await outcome(["locate", "--units", "si"]) { _ in [line] }
    #expect(si.output.contains("speed 11.5 m/s"))
    let (json, _) = try await outcome(["locate", "--json"]) { _ in [line] }
    #expect(json.output == line + "\n")
  }
}
