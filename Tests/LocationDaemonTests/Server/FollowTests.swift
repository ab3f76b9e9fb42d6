import GPSDProtocol
import Testing

@testable import LocationDaemon

@Suite("VIEW and FOLLOW")
struct FollowTests {
  /// A daemon with a fix, and a renderer whose view follows it past its grace.
  private func rendering() throws -> (daemon: VirtualDaemon, renderer: VirtualClient, newest: TPV) {
    let daemon = try VirtualDaemon()
    daemon.open()
    let renderer = try daemon.watch()
    daemon.ride(0...3)
    let newest = try #require(try renderer.take().fixes.last)
    try renderer.send(view(newest))
    _ = try renderer.take()
    return (daemon, renderer, newest)
  }

  private func view(_ fix: TPV, north metres: Double = 0, cause: String? = "user", name: String = "main") -> String {
    let latitude = (fix.lat ?? 0) + metres / 111_192
    let cause = cause.map { #","cause":"\#($0)""# } ?? ""
    return #"?VIEW={"view":"\#(name)","lat":\#(latitude),"lon":\#(fix.lon ?? 0),"seq":\#(fix.seq ?? 0)\#(cause)};"#
  }

  @Test
  func `The first report of a view by a client is answered with its state, and before a fix every report`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let early = daemon.connect()
    for _ in 0..<3 {
      let answer = try early.ask(#"?VIEW={"lat":48,"lon":11,"cause":"user"};"#)
      #expect(answer.follows == [FollowReport(view: "main", isFollowing: true, reason: .init("initial"))])
    }
    daemon.ride(0...0)
    let late = daemon.connect()
    for client in [early, late] {
      let answer = try client.ask(#"?VIEW={"lat":48,"lon":11.5,"cause":"follow"};"#)
      #expect(answer.follows.count == (client === late ? 1 : 0))
    }
    for client in [early, late] {
      #expect(try client.ask(#"?VIEW={"lat":48,"lon":11.5,"cause":"follow"};"#).isEmpty)
    }
  }

  @Test func `Behind a distance filter, the first report with the newest fix that the client was sent counts`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    daemon.ride(0...3)
    let renderer = daemon.connect()
    let lines = try renderer.ask(#"?WATCH={"json":true,"distanceFilter":1000};"#)
    let sent = try #require(lines.fixes.last)
    daemon.ride(4...8)
    #expect(try renderer.take().fixes.isEmpty)
    try renderer.send(view(sent, north: 500))
    #expect(try renderer.take().follows.map(\.reason) == [.drift])
  }

  @Test
  func `A renderer restores the state that its view had before the daemon restarted, which is published once`() throws {
    let restore = #"?FOLLOW={"view":"main","following":false,"restore":true};"#
    let released = FollowReport(view: "main", isFollowing: false, reason: .init("requested"))
    let daemon = try VirtualDaemon()
    daemon.open()
    let other = try daemon.watch()
    let renderer = try daemon.watch()
    #expect(try renderer.ask(restore).follows == [released])
    #expect(try other.take().follows == [released])
    daemon.ride(0...2)
    let newest = try #require(try renderer.take().fixes.last)
    try renderer.send(view(newest, cause: "follow"))
    #expect(try renderer.ask("?FOLLOW;").follows == [released])

    #expect(try other.ask(#"?FOLLOW={"enable":true};"#).follows.map(\.isFollowing) == [true])
    let late = daemon.connect()
    for client in [renderer, late] {
      #expect(try client.ask(restore).follows.last?.isFollowing == true, "the daemon knows better")
    }
    let unsubscribed = daemon.connect()
    let inset = #"?FOLLOW={"view":"inset","following":false,"restore":true};"#
    #expect(try unsubscribed.ask(inset).follows.map(\.isFollowing) == [false])
    #expect(
      try unsubscribed.ask(#"?FOLLOW={"view":"new","following":true,"restore":true};"#).follows.map(\.reason) == [
        .initial
      ])
  }

  @Test func `A view moved away by the user stops following, which every subscriber receives once`() throws {
    let (daemon, renderer, newest) = try rendering()
    let other = try daemon.watch(filter: 1000)
    let bystander = daemon.connect()
    _ = try bystander.take()
    try renderer.send(view(newest, north: 99))
    #expect(try renderer.take().isEmpty)
    try renderer.send(view(newest, north: 102) + view(newest, north: 300))
    for client in [renderer, other] {
      let follow = try #require(try client.take().follows.first)
      #expect(!follow.isFollowing)
      #expect(follow.reason == .init("drift"))
      #expect(follow.seq == newest.seq)
      let distance = try #require(follow.distance)
      #expect(abs(distance - 102) < 0.5)
      #expect(try client.take().isEmpty)
    }
    #expect(try bystander.take().isEmpty)
  }

  @Test(arguments: ["follow", "zoom", "rotate", "resize"])
  func `Movements not caused by the user never disengage following`(cause: String) throws {
    let (_, renderer, newest) = try rendering()
    for metres in [200.0, 5000, 20] { try renderer.send(view(newest, north: metres, cause: cause)) }
    #expect(try renderer.take().isEmpty)
  }

  @Test func `Re-engaging sends the newest fix to every renderer and no other client`() throws {
    let (daemon, renderer, newest) = try rendering()
    let otherRenderer = try daemon.watch(filter: 1000)
    try otherRenderer.send(view(newest, name: "inset"))
    let tracker = try daemon.watch(filter: 1000)
    try renderer.send(view(newest, north: 500))
    daemon.play(NMEAEpoch(number: 4, north: 61, speed: 1))
    for client in [renderer, otherRenderer, tracker] { _ = try client.take() }

    try tracker.send(#"?FOLLOW={"view":"main","enable":true};"#)
    let engaged = FollowReport(view: "main", isFollowing: true, reason: .init("requested"), seq: 5)
    let received = try otherRenderer.take()
    #expect(received.follows == [engaged])
    #expect(received.fixes.map(\.reason) == ["requested"])
    #expect(received.fixes.map(\.seq) == [5])
    // The renderer with filter 0 has been sent that fix already.
    #expect(try renderer.take().names == ["FOLLOW"])

    let rider = try daemon.watch(filter: 1000)
    try renderer.send(#"?FOLLOW={"enable":false};"#)
    daemon.play(NMEAEpoch(number: 5, north: 62, speed: 1))
    _ = try rider.take()
    try renderer.send(#"?FOLLOW={"enable":true};"#)
    #expect(try rider.take().names == ["FOLLOW"])
    #expect(try otherRenderer.take().fixes.map(\.reason) == ["requested"])
  }

  @Test func `A view released by request stops following until following is re-enabled`() throws {
    let (daemon, renderer, newest) = try rendering()
    try renderer.send(#"?FOLLOW={"view":"main","enable":false};"#)
    #expect(try renderer.take().follows.map(\.reason) == [.requested])
    try renderer.send(view(newest))
    daemon.ride(4...8)
    #expect(try renderer.take().follows.isEmpty)
    #expect(try renderer.ask("?FOLLOW;").follows.map(\.isFollowing) == [false])
    #expect(try renderer.ask(#"?FOLLOW={"enable":true};"#).follows.map(\.isFollowing) == [true])
  }

  @Test func `A client without a subscription is answered too`() throws {
    let daemon = try VirtualDaemon()
    let client = daemon.connect()
    #expect(try client.ask(#"?FOLLOW={"enable":false};"#).follows.map(\.isFollowing) == [false])
    #expect(try client.ask(#"?FOLLOW={"enable":false};"#).follows.map(\.isFollowing) == [false])
    #expect(try client.ask(#"?FOLLOW={"enable":true};"#).follows.map(\.isFollowing) == [true])
    #expect(try client.ask("?FOLLOW;").follows.count == 1)
    #expect(try client.ask(#"?FOLLOW={"view":"never seen"};"#).follows.map(\.isFollowing) == [true])
  }

  @Test(arguments: [29.0, 31])
  func `A renderer that reconnects within 30 s keeps its state; later it starts with the initial one`(
    after seconds: Double
  ) throws {
    let (daemon, renderer, newest) = try rendering()
    try renderer.send(view(newest, north: 500))
    renderer.close()
    daemon.advance(seconds)
    let back = daemon.connect()
    let lines = try back.ask(#"?WATCH={"json":true};"#)
    guard seconds < 30 else {
      #expect(lines.follows.map(\.reason) == [.initial])
      #expect(try back.ask("?FOLLOW;").follows.map(\.isFollowing) == [true])
      return
    }
    #expect(lines.follows.map(\.isFollowing) == [false])
    #expect(lines.follows.map(\.reason) == [.drift])
    try back.send(view(newest, north: 500))
    #expect(try back.ask("?FOLLOW;").follows.map(\.isFollowing) == [false])
  }

  @Test func `A loss does not disengage; when the fix returns, each following view is recentred once`() throws {
    let (daemon, renderer, newest) = try rendering()
    let coarse = try daemon.watch(filter: 1000)
    try coarse.send(view(newest, name: "inset"))
    daemon.advance(20)
    #expect(try renderer.take().follows.isEmpty)
    _ = try coarse.take()
    daemon.ride(30...31)
    #expect(try renderer.take().fixes.map(\.reason) == ["regained", "moved"])
    #expect(try coarse.take().fixes.map(\.reason) == ["regained"])
  }

  @Test func `A refusal by follow mode is an ERROR that names the request`() throws {
    let daemon = try VirtualDaemon()
    let client = daemon.connect()
    for number in 0..<20 {
      _ = try client.take()
      try client.send(#"?VIEW={"view":"v\#(number)","lat":48,"lon":11};"#)
    }
    #expect(try client.take().errors.map(\.request) == ["VIEW"])
  }

  @Test func `Clients with many views never cause the refusal of another's`() throws {
    let daemon = try VirtualDaemon()
    let crowd = (0..<20).map { _ in daemon.connect() }
    for (session, client) in crowd.enumerated() {
      _ = try client.take()
      for number in 0..<8 { try client.send(#"?VIEW={"view":"\#(session)-\#(number)","lat":48,"lon":11};"#) }
      #expect(try client.take().errors.isEmpty)
    }
    let renderer = daemon.connect()
    let answer = try renderer.ask(#"?VIEW={"lat":48,"lon":11};"#)
    #expect(answer.follows.map(\.view) == ["main"])
    #expect(daemon.engineLoop.engine.desk.follow.states.count == 64)
  }
}
