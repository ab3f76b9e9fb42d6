import GPSDProtocol
import Testing

@testable import LocationClient

@Suite struct ConnectionStateTests {
  private let watch = Subscription(distanceFilter: 10).request
  private let version = VersionReport(release: "1", rev: "a")
  private let follow = FollowReport(view: "main", following: true)
  private let gone = LocationClientError.noDaemon(endpoint: .unix(path: "x"), reason: "none")

  private func streaming() -> ConnectionState {
    var state = ConnectionState(subscription: watch)
    _ = state.start()
    _ = state.connected()
    _ = state.received(.version(version))
    return state
  }

  @Test("The subscription follows the greeting")
  func subscribes() {
    var state = ConnectionState(subscription: watch)
    #expect(state.start() == [.connect])
    #expect(state.start().isEmpty)
    #expect(state.connected().isEmpty)
    #expect(state.received(.version(version)) == [.deliver(.connected(version)), .send(watch)])
    #expect(state.received(.watch(WatchReport(enable: true))).isEmpty)
    #expect(state.received(.follow(follow)) == [.deliver(.follow(follow))])
    #expect(state.received(.other("PPS")).isEmpty)
  }

  @Test("Waits grow, and a repeated failure is delivered once")
  func growingWaits() {
    var state = ConnectionState(subscription: watch)
    _ = state.start()
    #expect(state.disconnected(gone, random: 0) == [.deliver(.disconnected(gone)), .wait(.milliseconds(250))])
    #expect(state.wake() == [.connect])
    #expect(state.disconnected(gone, random: 0) == [.wait(.milliseconds(500))])
    #expect(state.wake() == [.connect])
    #expect(state.disconnected(.closed, random: 0) == [.deliver(.disconnected(.closed)), .wait(.seconds(1))])
  }

  @Test("The waits start over after a subscription")
  func waitsStartOver() {
    var state = ConnectionState(subscription: watch)
    _ = state.start()
    for _ in 0..<6 {
      _ = state.disconnected(gone, random: 0)
      _ = state.wake()
    }
    _ = state.connected()
    _ = state.received(.version(version))
    _ = state.received(.watch(WatchReport(enable: true)))
    #expect(state.disconnected(.closed, random: 0) == [.deliver(.disconnected(.closed)), .wait(.milliseconds(250))])
  }

  @Test("A daemon that greets and hangs up still lets the waits grow")
  func waitsGrowAfterGreetings() {
    var state = ConnectionState(subscription: watch)
    _ = state.start()
    var waits: [ConnectionState.Action] = []
    for _ in 0..<6 {
      _ = state.connected()
      _ = state.received(.version(version))
      waits.append(state.disconnected(.closed, random: 1).last ?? .close)
      _ = state.wake()
    }
    #expect(waits.last == .wait(.seconds(5)))
  }

  @Test("A refusal before the greeting is the cause of the disconnection")
  func refusal() {
    var state = ConnectionState(subscription: watch)
    _ = state.start()
    _ = state.connected()
    let full = ErrorReport(message: "256 clients are connected")
    #expect(state.received(.error(full)).isEmpty)
    #expect(state.disconnected(.closed, random: 0).first == .deliver(.disconnected(.remote(full))))
  }

  @Test("A violation closes the connection and nothing more is read")
  func violationCloses() {
    var state = streaming()
    #expect(state.violated("no JSON") == [.close])
    #expect(state.violated("no JSON").isEmpty)
    #expect(state.received(.follow(follow)).isEmpty)
    #expect(state.disconnected(.closed, random: 0).first == .deliver(.disconnected(.protocolViolation("no JSON"))))
  }

  @Test("A report before the greeting is a protocol violation")
  func reportBeforeGreeting() {
    var state = ConnectionState(subscription: watch)
    _ = state.start()
    _ = state.connected()
    #expect(state.received(.follow(follow)) == [.close])
  }

  @Test("An error while streaming is delivered")
  func errorWhileStreaming() {
    var state = streaming()
    let error = ErrorReport(message: "no")
    #expect(state.received(.error(error)) == [.deliver(.error(error))])
    #expect(state.phase == .streaming)
  }

  @Test("Nothing happens after cancel()")
  func afterTheEnd() {
    var state = streaming()
    #expect(state.cancel() == [.close])
    #expect(state.disconnected(.closed, random: 0).isEmpty)
    #expect(state.wake().isEmpty)
    #expect(state.received(.follow(follow)).isEmpty)
    #expect(state.cancel().isEmpty)
    #expect(state.start().isEmpty)
  }

  @Test("A report without a fix is not a position")
  func noFix() throws {
    var state = streaming()
    for line in [
      #"{"class":"TPV","mode":1,"status":0}"#, #"{"class":"TPV","mode":1,"lat":1,"lon":1}"#,
      #"{"class":"TPV","mode":3}"#,
      #"{"class":"TPV","mode":3,"lat":91,"lon":1}"#, #"{"class":"TPV","mode":0}"#,
    ] {
      #expect(state.received(try Report(line: Array(line.utf8)[...])).isEmpty, "\(line)")
    }
  }
}
