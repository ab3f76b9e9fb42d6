import GPSDProtocol
import Glibc
import LocationCore
import NIOCore
import NIOPosix
import Synchronization
import LocationClientTesting
import Testing

@testable import LocationClient

@Suite(.timeLimit(.minutes(5))) struct LocationClientTests {
  /// By default no request times out while other tests keep the processors.
  private func client(
    by clock: any Clock<Duration> = ManualClock(), _ answer: @escaping @Sendable (Request) -> [String],
    _ body: (LocationClient, FakeDaemon) async throws -> Void
  ) async throws {
    let daemon = try FakeDaemon(clock: clock, answer: answer)
    try await daemon.start()
    try await body(daemon.client, daemon)
    try await daemon.stop()
  }

  @Test func `A position is requested and decoded`() async throws {
    try await client { _ in
      [#"{"class":"TPV","mode":2,"status":1,"lat":1.5,"lon":2.5,"age":0.5,"reason":"requested"}"#]
    } _: { client, daemon async throws in
      let position = try await client.locate(timeout: .milliseconds(1500), maxAge: .seconds(3))
      #expect(position.coordinate == Coordinate(latitude: 1.5, longitude: 2.5))
      #expect(position.age == .milliseconds(500))
      #expect(daemon.received.withLock { $0 } == [.engine(.locate(timeout: 1.5, maxAge: 3))])
    }
  }

  @Test func `A timeout has the last known position`() async throws {
    try await client { _ in
      [
        #"{"class":"ERROR","message":"no fix","code":"timedOut","request":"LOCATE","lat":1.5,"lon":2.5,"eph":4,"seq":9,"age":61.5,"source":"main"}"#
      ]
    } _: { client, _ async throws in
      do throws(LocationClientError) {
        _ = try await client.locate()
        Issue.record("a position out of nothing")
      } catch {
        guard case .timedOut(let lastKnown?) = error else {
          Issue.record("\(error)")
          return
        }
        #expect(lastKnown.age == .seconds(61.5))
        #expect(lastKnown.coordinate == Coordinate(latitude: 1.5, longitude: 2.5))
        #expect(lastKnown.seq == 9)
      }
    }
  }

  @Test(
    arguments: [
      (Subscription(distanceFilter: -1), #""distanceFilter" must be from 0 to 1000000"#),
      (Subscription(distanceFilter: .nan), #""distanceFilter" must be from 0 to 1000000"#),
      (Subscription(distanceFilter: 1_000_001), #""distanceFilter" must be from 0 to 1000000"#),
      (Subscription(heartbeat: .milliseconds(50)), #""heartbeat" must be 0 (never) or from 0.1 to 86400 seconds"#),
      (Subscription(heartbeat: .seconds(86_401)), #""heartbeat" must be from 0 to 86400"#),
      (Subscription(arrivals: .milliseconds(500)), #""arrivals" must be 0 (never) or from 1 to 86400 seconds"#),
      (Subscription(heartbeat: .seconds(-1)), #""heartbeat" must be from 0 to 86400"#),
    ])
  func `A subscription that no daemon accepts is an error at the call`(_ subscription: Subscription, _ message: String)
  {
    #expect(throws: LocationClientError.invalid("?WATCH: " + message)) {
      try LocationClient().updates(subscription)
    }
  }

  @Test func `A subscription at the limits is accepted, by a daemon too`() throws {
    for subscription in [
      Subscription(distanceFilter: 0, heartbeat: .milliseconds(100)),
      Subscription(distanceFilter: 1_000_000, heartbeat: .seconds(86_400)), Subscription(heartbeat: .zero),
    ] {
      try subscription.request.validate()
      var line = JSONLine(capacity: 256)
      subscription.request.write(into: &line)
      var parser = RequestParser()
      var index = 0
      #expect(try parser.next(in: line.bytes.span, from: &index) == subscription.request)
    }
  }

  @Test func `A request that no daemon accepts is an error before it is sent`() async throws {
    let home = try #require(Coordinate(latitude: 48, longitude: 11))
    try await client { _ in
      []
    } _: { client, daemon async throws in
      await #expect(throws: LocationClientError.invalid(#"?TARGET: "radius" must be from 1 to 10000"#)) {
        try await client.setTarget("home", at: home, radius: .nan)
      }
      await #expect(throws: LocationClientError.invalid(#"?LOCATE: "timeout" must be from 0 to 3600"#)) {
        try await client.locate(timeout: .seconds(-1))
      }
      #expect(daemon.connections == 0)
    }
  }

  @Test(
    arguments: [
      ("denied", LocationClientError.denied(message: "no", remedy: "r")),
      ("disabled", .disabled(message: "no", remedy: "r")),
      ("misconfigured", .misconfigured(message: "no", remedy: "r")), ("timedOut", .timedOut(lastKnown: nil)),
      ("busy", .remote(ErrorReport(message: "no", code: .init("busy"), remedy: "r"))),
    ]
  )
  func `Refusals are typed`(code: String, expected: LocationClientError) async throws {
    try await client { _ in
      [#"{"class":"ERROR","message":"no","code":"\#(code)","remedy":"r"}"#]
    } _: { client, _ async throws in
      await #expect(throws: expected) { try await client.locate() }
    }
  }

  @Test func `A daemon that never answers is named`() async throws {
    try await client(by: ContinuousClock()) { _ in
      []
    } _: { client, _ async throws in
      let error = await #expect(throws: LocationClientError.self) {
        try await client.exchange(
          [.engine(.locate(timeout: nil, maxAge: nil))], until: .position, within: .milliseconds(50))
      }
      let words = error?.description ?? ""
      // Within that time it may have not even greeted.
      let sentences = ["does not answer", "accepts a connection and sends nothing"]
      let place = "(pid \(getpid())) at \(client.endpoint)"
      #expect(sentences.contains { words.contains("\(place) \($0); restart it") }, "\(words)")
    }
  }

  @Test func `Lines that are not the protocol and a closed connection are named`() async throws {
    let daemon = try FakeDaemon(clock: ManualClock()) { _ in ["not json"] }
    try await daemon.start()
    await #expect(throws: LocationClientError.protocolViolation("no JSON object with a \"class\"")) {
      try await daemon.client.status()
    }
    let closing = try FakeDaemon(greeting: [], clock: ManualClock()) { _ in [] }
    try await closing.start()
    let asking = Task { try await closing.client.status() }
    while closing.connections == 0 { await Task.yield() }
    closing.disconnectClients()
    await #expect(throws: LocationClientError.closed) { try await asking.value }
  }

  @Test func `A missing daemon is an error with the system's reason`() async throws {
    let nowhere = Endpoint.unix(path: "/tmp/no-such-directory/socket")
    await #expect(throws: LocationClientError.noDaemon(endpoint: nowhere, reason: "No such file or directory")) {
      try await LocationClient(endpoint: nowhere, clock: ManualClock()).status()
    }
    let long = Endpoint.unix(path: "/" + String(repeating: "x", count: 300))
    do throws(LocationClientError) {
      _ = try await LocationClient(endpoint: long, clock: ManualClock()).devices()
      Issue.record("connected")
    } catch {
      guard case .noDaemon = error else {
        Issue.record("\(error)")
        return
      }
    }
    await #expect(
      throws: LocationClientError.noDaemon(endpoint: .tcp(host: "127.0.0.1", port: 1), reason: "Connection refused")
    ) {
      try await LocationClient(endpoint: .tcp(host: "127.0.0.1", port: 1), clock: ManualClock()).status()
    }
  }

  @Test func `Cancelling a task ends its request`() async throws {
    try await client { _ in
      []
    } _: { client, daemon async throws in
      let asking = Task { try await client.locate(timeout: .seconds(60)) }
      while daemon.received.withLock({ $0.isEmpty }) { await Task.yield() }
      asking.cancel()
      await #expect(throws: LocationClientError.cancelled) { try await asking.value }
    }
  }

  @Test func `A view is re-engaged, released and reported`() async throws {
    let answer: @Sendable (Request) -> [String] = { request in
      switch request {
      case .engine(.setFollow(let view, let enable)):
        [#"{"class":"FOLLOW","view":"\#(view)","following":\#(enable),"reason":"requested"}"#]
      case .question(.follow(let view)):
        [
          #"{"class":"FOLLOW","view":"other","following":true}"#,
          #"{"class":"FOLLOW","view":"\#(view ?? "")","following":false}"#,
        ]
      case .engine(.view): [#"{"class":"FOLLOW","view":"map","following":true}"#]
      case .engine(.locate): [#"{"class":"TPV","mode":3,"lat":48,"lon":11,"seq":7,"reason":"requested"}"#]
      default: []
      }
    }
    try await client(answer) { client, daemon async throws in
      #expect(try await client.follow(view: "map") == FollowReport(view: "map", isFollowing: false))
      #expect(try await client.setFollowing(true).view == "main")
      let place = try #require(Coordinate(latitude: 48, longitude: 11))
      for seq in [12, nil] as [UInt64?] {
        let view = ViewRequest(view: "map", coordinate: place, seq: seq, cause: .user)
        #expect(try await !client.report(view).isFollowing)
      }
      #expect(
        daemon.received.withLock { $0 } == [
          .question(.follow(view: "map")), .version, .engine(.setFollow(view: "main", enable: true)),
          .question(.follow(view: "main")),
          .version,
          .engine(.view(ViewRequest(view: "map", coordinate: place, seq: 12, cause: .user))),
          .question(.follow(view: "map")),
          .version,
          .engine(.view(ViewRequest(view: "map", coordinate: place, cause: .user))),
          .engine(.locate(timeout: 0, maxAge: 3600)),
          .engine(.view(ViewRequest(view: "map", coordinate: place, seq: 7, cause: .user))),
          .question(.follow(view: "map")),
          .version,
        ])
    }
  }

  @Test func `Targets are set, listed and removed`() async throws {
    try await client { request in
      switch request {
      case .engine(.setTarget), .question(.targets):
        [#"{"class":"ARRIVAL","name":"home","state":"approaching","distance":900,"bearing":12.5,"eta":75}"#]
      default: []
      }
    } _: { client, daemon async throws in
      let place = try #require(Coordinate(latitude: 48, longitude: 11))
      #expect(try await client.setTarget("home", at: place, radius: 50)?.distance == 900)
      #expect(try await client.targets().map(\.name) == ["home"])
      try await client.removeTarget("home")
      #expect(
        daemon.received.withLock { $0.filter { $0 != .version } } == [
          .engine(.setTarget(TargetRequest(name: "home", position: place, radius: 50, isPersistent: true))),
          .question(.targets),
          .engine(.removeTarget(name: "home")),
        ])
    }
  }

  @Test func `Status, devices and playback are requested and decoded`() async throws {
    try await client { request in
      switch request {
      case .status:
        [
          #"{"class":"STATUS","release":"1","uptime":3,"state":"tracking","clients":1,"sources":[],"counts":{"fixes":5}}"#
        ]
      case .devices: [#"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/gps0"}]}"#]
      case .playback: [#"{"class":"PLAYBACK","position":1,"paused":true,"ended":false}"#]
      default: []
      }
    } _: { client, daemon async throws in
      #expect(try await client.status().counts == ["fixes": 5])
      #expect(try await client.devices().map(\.path) == ["/dev/gps0"])
      #expect(try await client.playback().isPaused)
      #expect(try await client.playback(speed: 2).speed == nil)
      #expect(
        daemon.received.withLock { $0.contains(.playback(nil)) && $0.contains(.playback(PlaybackRequest(speed: 2))) })
    }
  }

  @Test func `Recording is reported, started and stopped`() async throws {
    try await client { request in
      switch request {
      case .record(nil): [#"{"class":"RECORD","state":"recording","distance":12.5}"#]
      case .record(let record?): [#"{"class":"RECORD","state":"\#(record.enable ? "starting" : "stopped")"}"#]
      default: []
      }
    } _: { client, daemon async throws in
      #expect(try await client.recording().distance == 12.5)
      #expect(try await client.setRecording(true, directory: "/rides").state == .init("starting"))
      #expect(try await client.setRecording(false).state == .init("stopped"))
      #expect(
        daemon.received.withLock {
          $0.contains(.record(RecordRequest(enable: true, directory: "/rides")))
            && $0.contains(.record(RecordRequest(enable: false)))
        })
    }
  }

  @Test func `On TCP the additions are requested first`() async throws {
    let daemon = try FakeDaemon { request in
      switch request {
      case .watch: [#"{"class":"DEVICES","devices":[]}"#, #"{"class":"WATCH","enable":false,"json":false}"#]
      case .question(.follow): [#"{"class":"FOLLOW","view":"main","following":true}"#]
      default: []
      }
    }
    let client = LocationClient(endpoint: try await daemon.startTCP(), clock: ManualClock())
    #expect(try await client.follow().isFollowing)
    var watch = WatchRequest()
    watch.enable = false
    watch.handlebar = true
    #expect(daemon.received.withLock { $0 } == [.watch(watch), .question(.follow(view: "main")), .version])
    try await daemon.stop()
  }

  @Test func `A host that vanishes is noticed by the kernel`() async throws {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let listener = try await ServerBootstrap(group: loop).bind(host: "127.0.0.1", port: 0).get()
    let port = try #require(listener.localAddress?.port)
    let channel = try await Endpoint.tcp(host: "127.0.0.1", port: port).connect(on: loop) { _ in }.get()
    #expect(try await channel.getOption(.socketOption(.so_keepalive)).get() != 0)
    let options: [(CInt, CInt)] = [
      (TCP_KEEPIDLE, 10), (TCP_KEEPINTVL, 5), (TCP_KEEPCNT, 3), (TCP_USER_TIMEOUT, 25_000),
    ]
    for (name, value) in options {
      #expect(try await channel.getOption(.tcpOption(NIOBSDSocket.Option(rawValue: name))).get() == value)
    }
    try await channel.close()
    try await listener.close()
  }

  @Test func `The endpoint comes from the environment and prints as an address`() {
    #expect(Endpoint.unix(path: "/a b").description == "/a b")
    #expect(Endpoint.tcp(host: "::1", port: 2947).description == "[::1]:2947")
    #expect(Endpoint.tcp(host: "localhost", port: 2947).description == "localhost:2947")
    #expect(
      Endpoint.environment
        == (getenv("HANDLEBAR_SOCKET").map { .unix(path: String(cString: $0)) } ?? .unix(path: Endpoint.standardPath)))
  }
}
