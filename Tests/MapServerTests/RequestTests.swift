import LocationCore
import GPSDProtocol
import Testing

@testable import MapServer

@Suite("Requests to the map server")
struct RequestTests {
  /// CR LF is one character of Swift's, and so is a quote with a combining mark.
  @Test func `A label of the metrics is one string, whatever it quotes`() {
    var source = SourceReport(source: "serial:\"\u{301}", phase: .tracking)
    source.device = "/dev/x\r\n\\\n"
    let status = StatusReport(release: "1", uptime: .seconds(1), phase: .tracking, clients: 0, sources: [source])
    let label = #"{source="serial:\""# + "\u{301}" + #"",device="/dev/x"# + "\r" + #"\n\\\n"} 1"#
    #expect(Metrics(status).text.contains("handlebar_source_tracking\(label)\n"))
  }

  /// Whether a page that has set the targets may send a request.
  private func isAllowed(
    _ text: String, after targets: inout Set<String>, mayControl: Bool = false
  ) throws -> Bool {
    var parser = RequestParser()
    var index = 0
    let request = try #require(try parser.next(in: Array(text.utf8).span, from: &index))
    return ViewerHandler.isAllowed(request, targets: &targets, mayControl: mayControl)
  }

  @Test(
    arguments: [
      #"?VIEW={"view":"map-1","lat":48,"lon":11,"seq":5,"cause":"user"};"#, #"?FOLLOW={"view":"map-1"};"#,
      #"?FOLLOW={"view":"map-1","enable":true};"#, #"?FOLLOW={"view":"map-1","following":false,"restore":true};"#,
      #"?TARGET;"#, #"?TARGET={"name":"map-1","lat":48,"lon":11};"#, #"?TARGET={"name":"map-2","enable":false};"#,
      #"?PLAYBACK;"#, #"?PLAYBACK={"pause":true};"#, #"?COURSE;"#, #"?COURSE={"name":"tour","from":0};"#, #"?RECORD;"#,
    ]
  )
  func `A page may report its view, follow, set targets, read courses and control a recording`(_ text: String) throws {
    var targets: Set = ["map-2"]
    #expect(try isAllowed(text, after: &targets))
  }

  @Test(
    arguments: [
      #"?VIEW={"lat":48,"lon":11};"#, #"?VIEW={"view":"main","lat":48,"lon":11};"#, #"?FOLLOW={"enable":false};"#,
      #"?FOLLOW={"view":"main","enable":false};"#, #"?FOLLOW={"view":"main","following":false,"restore":true};"#,
      #"?FOLLOW;"#, #"?FOLLOW={"view":"main"};"#, #"?TARGET={"name":"a","lat":48,"lon":11};"#,
      #"?TARGET={"name":"map-1","lat":48,"lon":11,"persistent":true};"#, #"?TARGET={"name":"map-1","enable":false};"#,
      #"?RECORD={"enable":false};"#, #"?WATCH={"enable":false};"#, #"?WATCH;"#, #"?LOCATE;"#, #"?POLL;"#,
      #"?STATUS;"#, #"?DEVICES;"#, #"?DEVICE;"#, #"?VERSION;"#,
      #"?COURSE={"name":"tour"};"#, #"?COURSE={"name":"tour","enable":false};"#,
      #"?CUE={"course":"a","at":1,"text":"b"};"#, #"?TRIP={"name":"a"};"#, #"?TRIP={"name":"a","enable":false};"#,
    ]
  )
  func `A page may not touch other programs' views and targets, recording and subscriptions`(_ text: String) throws {
    var targets: Set = ["map-2"]
    #expect(try !isAllowed(text, after: &targets))
  }

  @Test(
    arguments: [
      #"?RECORD={"enable":false};"#, #"?RECORD={"enable":true};"#, #"?TRIP={"name":"a"};"#,
      #"?TRIP={"name":"a","lap":true};"#, #"?TRIP={"name":"a","reset":true};"#, #"?TRIP={"name":"a","enable":false};"#,
      #"?COURSE={"name":"tour"};"#, #"?COURSE={"name":"tour","enable":false};"#,
      #"?TARGET={"name":"a","enable":false};"#,
    ]
  )
  func `A page that may control the ride changes what is recorded, counted and followed`(_ text: String) throws {
    var targets: Set<String> = []
    #expect(try isAllowed(text, after: &targets, mayControl: true))
    #expect(try !isAllowed(text, after: &targets))
  }

  @Test(
    arguments: [
      #"?COURSE={"name":"tour","polyline":"_p~iF~ps|U_ulLnnqC"};"#, #"?CUE={"course":"a","at":1,"text":"b"};"#,
      #"?COURSE={"name":"tour","polyline":"_p~iF~ps|U","append":true};"#, #"?TARGET={"name":"a","lat":48,"lon":11};"#,
      #"?VIEW={"view":"main","lat":48,"lon":11};"#, #"?FOLLOW={"view":"main","enable":false};"#, #"?STATUS;"#,
      #"?WATCH={"enable":false};"#, #"?RECEIVER={"action":"apply"};"#,
    ]
  )
  func `It sets no courses, and touches no other program's views and subscriptions`(_ text: String) throws {
    var targets: Set<String> = []
    #expect(try !isAllowed(text, after: &targets, mayControl: true))
  }

  @Test func `A page may use 8 names of targets, each as often as it likes`() throws {
    var targets: Set<String> = []
    for _ in 1...2 {
      for number in 1...8 {
        #expect(try isAllowed(#"?TARGET={"name":"map-\#(number)","lat":48,"lon":11};"#, after: &targets))
        #expect(try isAllowed(#"?TARGET={"name":"map-\#(number)","enable":false};"#, after: &targets))
      }
    }
    #expect(try !isAllowed(#"?TARGET={"name":"map-9","lat":48,"lon":11};"#, after: &targets))
  }

  @Test func `A tile is named by zoom, column and row`() {
    #expect(MapTile(path: "/tiles/3/7/0") == MapTile(zoom: 3, x: 7, y: 0))
    #expect(MapTile(path: "/tiles/0/0/0") != nil)
  }

  @Test(
    arguments: [
      "/tiles/3/8/0", "/tiles/3/0/8", "/tiles/25/0/0", "/tiles/3/-1/0", "/tiles/3/1", "/tiles/3/1/1/1",
      "/tiles/3/1/1.png",
      "/tiles/3/../1", "/tiles//1/1", "tiles/3/1/1", "/tiles/3/1/99999999999999999999", "/tiles/+3/1/ 1",
      "/other/3/1/1",
    ]
  )
  func `Other paths are no tiles`(_ path: String) {
    #expect(MapTile(path: Substring(path)) == nil)
  }

  @Test(
    arguments: [
      ("127.0.0.1:8480", "127.0.0.1", 8480), ("[::1]:0", "::1", 0), ("bike.local:65535", "bike.local", 65535),
    ]
  )
  func `Addresses are read with host and port`(_ text: String, _ host: String, _ port: Int) throws {
    let address = try #require(NetworkAddress(inURL: text))
    #expect(address.host == host && address.port == port && address.description == text)
  }

  @Test(arguments: [
    "8480", "127.0.0.1", ":8480", "a:+1", "a:-0", "a:", "a:b", "a:65536", "a:-1", "::1:8480", "a b:1", "[a]:1",
  ])
  func `What is not HOST:PORT`(_ text: String) {
    #expect(NetworkAddress(inURL: text) == nil)
  }
}
