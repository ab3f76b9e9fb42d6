import GPSDProtocol
import LocationCore
import Testing

@Suite struct RequestParserTests {
  private static let view = Coordinate(latitude: 47.5, longitude: 11.25)

  private static func watch(_ change: (inout WatchRequest) -> Void = { _ in }) -> Request {
    var watch = WatchRequest()
    change(&watch)
    return .watch(watch)
  }

  /// The polyline algorithm's own example, with 6 decimals.
  private static let line = [(38.5, -120.2), (40.7, -120.95), (43.252, -126.453)]
    .compactMap { Coordinate(latitude: $0.0, longitude: $0.1).map { CoursePoint($0) } }

  private static func course(_ change: CourseChange) -> Request {
    .engine(.course(CourseRequest(name: "tour", change: change)))
  }

  private static func cue(_ cue: CueChange) -> Request { .engine(.cue(CueRequest(course: "tour", cue: cue))) }

  static var wellFormed: [(String, Request)] {
    guard let view else { return [] }
    let heights = zip(line, [12.5, nil, -3]).map { CoursePoint($0.position, elevation: $1) }
    return [
      ("?VERSION;", .version), ("?DEVICES;\n", .devices),
      ("?DEVICE;", .device(path: nil)), ("?DEVICE={\"path\":\"/dev/a\"}", .device(path: "/dev/a")),
      ("?POLL;\r\n", .poll), ("?STATUS\n", .status),
      ("?WATCH;", .watch(nil)), ("?WATCH={}", watch()),
      ("?WATCH={\"enable\":true,\"json\":true}", watch { $0.json = true }),
      ("?WATCH={\"enable\":true,\"json\":true};", watch { $0.json = true }),
      ("?WATCH={\"enable\":false};\r\n", watch { $0.enable = false }),
      (
        #"?WATCH={"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":2,"scaled":true,"timing":false,"split24":true,"#
          + #""pps":true,"device":"/dev/gps0","remote":"x","future":[1,{"a":null}],"distanceFilter":10,"heartbeat":30,"arrivals":5,"handlebar":true};"#,
        watch {
          $0.json = true
          $0.nmea = false
          $0.raw = 2
          $0.device = "/dev/gps0"
          $0.distanceFilter = 10
          $0.heartbeat = 30
          $0.arrivals = 5
          $0.handlebar = true
        }
      ),
      (#"?VIEW={"lat":47.5,"lon":11.25}"#, .engine(.view(ViewRequest(coordinate: view)))),
      (
        #"?VIEW = {"view":"a}b;{\"","lat":47.5,"lon":11.25,"seq":9007199254740992,"cause":"user"};"#,
        .engine(.view(ViewRequest(view: "a}b;{\"", coordinate: view, seq: 9_007_199_254_740_992, cause: .user)))
      ),
      ("?FOLLOW;", .question(.follow(view: nil))),
      (#"?FOLLOW={"view":"karte-ä"}"#, .question(.follow(view: "karte-ä"))),
      (#"?FOLLOW={"view":"x","enable":true}"#, .engine(.setFollow(view: "x", enable: true))),
      (#"?FOLLOW={"enable":false};"#, .engine(.setFollow(view: "main", enable: false))),
      (
        #"?FOLLOW={"view":"map","following":false,"restore":true}"#,
        .engine(.restoreFollow(view: "map", following: false))
      ),
      ("?LOCATE;", .engine(.locate(timeout: nil, maxAge: nil))),
      (#"?LOCATE={"timeout":10,"maxAge":2}"#, .engine(.locate(timeout: 10, maxAge: 2))),
      ("?TARGET;", .question(.targets)),
      (
        #"?TARGET={"name":"home","lat":47.5,"lon":11.25,"radius":100}"#,
        .engine(.setTarget(TargetRequest(name: "home", position: view, radius: 100)))
      ),
      (
        #"?TARGET={"name":"home","lat":47.5,"lon":11.25,"persistent":true}"#,
        .engine(.setTarget(TargetRequest(name: "home", position: view, isPersistent: true)))
      ),
      (#"?TARGET={"name":"home","enable":false}"#, .engine(.removeTarget(name: "home"))),
      ("?COURSE;", .question(.courses)), (#"?COURSE={"name":"tour"}"#, course(.follow)),
      (#"?COURSE={"name":"tour","from":7}"#, .question(.coursePiece(CoursePieceRequest(name: "tour", from: 7)))),
      (
        #"?COURSE={"name":"tour","polyline":"_izlhA~rlgdF_{geC~ywl@_kwzCn`{nI"}"#,
        course(.set(line, isPersistent: false))
      ),
      (
        #"?COURSE={"name":"tour","polyline":"_izlhA~rlgdF_{geC~ywl@_kwzCn`{nI","elevation":"yFxf_Sc}~R","persistent":true}"#,
        course(.set(heights, isPersistent: true))
      ),
      (
        #"?COURSE={"name":"tour","polyline":"_izlhA~rlgdF","append":true}"#,
        course(.append(Array(line.prefix(1))))
      ),
      (#"?COURSE={"name":"tour","enable":false}"#, course(.end)),
      (#"?CUE={"course":"tour","at":1200.5,"text":"Left"}"#, cue(CueChange("Left", at: .along(1200.5)))),
      (
        #"?CUE={"course":"tour","lat":47.5,"lon":11.25,"text":"Hut","kind":"water"}"#,
        cue(CueChange("Hut", kind: "water", at: .near(view)))
      ),
      ("?PLAYBACK;", .playback(nil)), (#"?PLAYBACK={"pause":true}"#, .playback(PlaybackRequest(pause: true))),
      (#"?PLAYBACK={"speed":10}"#, .playback(PlaybackRequest(speed: 10))),
      (#"?PLAYBACK={"speed":"max","pause":false}"#, .playback(PlaybackRequest(pause: false, speed: .max))),
      (#"?PLAYBACK={"speed":0.1}"#, .playback(PlaybackRequest(speed: 0.1))),
      (#"?PLAYBACK={"seek":120}"#, .playback(PlaybackRequest(seek: 120))),
      ("?RECORD;", .record(nil)), (#"?RECORD={"enable":true}"#, .record(RecordRequest(enable: true))),
      (
        #"?RECORD={"enable":false,"directory":"/var/lib/rides"}"#,
        .record(RecordRequest(enable: false, directory: "/var/lib/rides"))
      ),
      ("?RECEIVER;", .receiver(nil)),
      (#"?RECEIVER={"source":"serial","action":"plan"}"#, .receiver(ReceiverRequest(source: "serial", action: .plan))),
    ]
  }

  @Test(arguments: wellFormed.indices)
  func `Every request is read`(index: Int) {
    let (text, request) = Self.wellFormed[index]
    #expect(outcomes(text) == [.success(request)])
  }

  @Test(arguments: wellFormed.indices)
  func `Splits change nothing`(index: Int) {
    let (text, request) = Self.wellFormed[index]
    let bytes = Array(text.utf8)
    for split in 0...bytes.count {
      #expect(outcomes([Array(bytes[..<split]), Array(bytes[split...])]) == [.success(request)])
    }
    #expect(outcomes(bytes.map { [$0] }) == [.success(request)])
  }

  @Test(arguments: wellFormed.indices)
  func `Written requests are read back`(index: Int) {
    let (_, request) = Self.wellFormed[index]
    let text = JSONLine.text { request.write(into: &$0) }
    #expect(outcomes(text) == [.success(request)])
  }

  @Test func `Requests are written as recorded events and read back`() throws {
    let place = try #require(Self.view)
    let events: [(Request, String)] = [
      (
        .engine(.view(ViewRequest(view: "a\"b", coordinate: place, seq: 7, cause: .user))),
        #"{"request":"VIEW","view":"a\"b","lat":47.5,"lon":11.25,"seq":7,"cause":"user"}"#
      ), (.engine(.view(ViewRequest(coordinate: place))), #"{"request":"VIEW","view":"main","lat":47.5,"lon":11.25}"#),
      (.engine(.setFollow(view: "main", enable: true)), #"{"request":"FOLLOW","view":"main","enable":true}"#),
      (
        .engine(.setTarget(TargetRequest(name: "home", position: place, radius: 50))),
        #"{"request":"TARGET","name":"home","lat":47.5,"lon":11.25,"radius":50}"#
      ),
      (
        .engine(.setTarget(TargetRequest(name: "home", position: place))),
        #"{"request":"TARGET","name":"home","lat":47.5,"lon":11.25}"#
      ), (.engine(.removeTarget(name: "home")), #"{"request":"TARGET","name":"home","enable":false}"#),
    ]
    for (request, json) in events {
      #expect(String(decoding: request.recorded, as: UTF8.self) == json)
      #expect(Request(recorded: Array(json.utf8)) == request)
    }
    for other in [#"{"source":"lost"}"#, #"{"request":"NEWS"}"#, #"{"request":"VIEW","view":"main"}"#, "{", ""] {
      #expect(Request(recorded: Array(other.utf8)) == nil)
    }
  }

  @Test func `A long course is written in requests that are read back`() {
    // Some points are far from each other, and a backslash is written as two characters.
    let points = (0..<3000).compactMap { number in
      let east = number % 100 == 0 ? 170.0 : 0.000_093
      let place = Coordinate(latitude: Double(number) * 0.00028, longitude: east * Double(number % 3 - 1))
      return place.map { CoursePoint($0, elevation: number % 7 == 0 ? nil : Double(number % 900)) }
    }
    let requests = CourseRequest.requests(settingCourse: "tour", points, isPersistent: true)
    let texts = requests.map { request in JSONLine.text { request.write(into: &$0) } }
    #expect(points.count == 3000 && texts.allSatisfy { $0.utf8.count <= RequestParser.maximumLength })
    var read: [CoursePoint] = []
    for case .success(.engine(.course(let course))) in outcomes(texts.joined()) {
      if case .set(let first, isPersistent: true) = course.change { read = first }
      if case .append(let more) = course.change { read += more }
    }
    #expect(read.count == 3000 && read.map(\.elevation) == points.map(\.elevation))
    #expect(zip(read, points).allSatisfy { $0.position.distance(to: $1.position) < 0.1 })
    // The state directory and recordings have it whole.
    let whole = Request.engine(.course(CourseRequest(name: "tour", change: .set(points, isPersistent: false))))
    let json = whole.recorded
    guard case .engine(.course(let again))? = Request(recorded: json), case .set(let kept, _) = again.change else {
      Issue.record("not read back")
      return
    }
    #expect(kept.count == 3000)
  }

  @Test func `Several requests on a line are separated by blanks, semicolons and newlines`() {
    #expect(
      outcomes(" \t;;?VERSION;?POLL; ?WATCH={};\r\n\r\n;?DEVICES\r\n")
        == [.success(.version), .success(.poll), .success(Self.watch()), .success(.devices)])
  }

  @Test func `An unfinished request waits for the rest`() {
    #expect(outcomes("?VERSION").isEmpty)
    #expect(outcomes("?WATCH={\"enable\":true").isEmpty)
  }

  @Test func `The longest request is read, a longer one is not`() {
    let frame = #"?WATCH={"x":""}"#.utf8.count
    for (length, isRead) in [(RequestParser.maximumLength, true), (RequestParser.maximumLength + 1, false)] {
      let text = #"?WATCH={"x":"\#(String(repeating: "a", count: length - frame))"}"#
      #expect(text.utf8.count == length)
      let result = outcomes(text + "\n?VERSION;")
      #expect(result.last == .success(.version))
      #expect(result.count == 2)
      #expect((try? result.first?.get()) == (isRead ? Self.watch() : nil))
    }
  }
}
