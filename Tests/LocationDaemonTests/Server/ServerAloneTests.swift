import GPSDProtocol
@testable import LocationCore
import Logging
import NIOEmbedded
import Testing

@testable import LocationDaemon

/// An engine on which every request has the effect that the test has set.
private final class ScriptedEngine: ClientInlet {
  private let engine = LocationEngine(sources: [SourceSetup(id: 0, device: "/dev/gps0")], at: .zero)
  /// The events of a request of a client.
  var effect: (ClientID) throws(RequestRefusal) -> [EngineEvent] = { _ in [] }
  var onEvent: (EngineEvent, MonotonicInstant, borrowing LocationEngine) -> Void = { _, _, _ in }
  private(set) var requests: [EngineRequest] = []
  private(set) var departed: [ClientID] = []
  var onTurnEnd: () -> Void = {}

  func turn(at instant: MonotonicInstant?, _ body: (MonotonicInstant) -> Void) {
    body(instant ?? .zero)
    onTurnEnd()
  }

  func read(_ body: (borrowing LocationEngine) -> Void) { body(engine) }

  func connect(_ client: ClientID, of peer: ClientPeer?) {}

  func handle(
    _ request: EngineRequest, from client: ClientID, sent: UInt64?, at instant: MonotonicInstant
  ) throws(RequestRefusal) {
    requests.append(request)
    for event in try effect(client) { onEvent(event, instant, engine) }
  }

  func disconnect(_ client: ClientID) { departed.append(client) }
  func noteInterest() {}
  func clientsDidDrain() {}
}

@Suite("The server without an engine loop")
struct ServerAloneTests {
  private let loop = EmbeddedEventLoop()
  private let engine = ScriptedEngine()
  private let server: Server
  private let state = FollowState(view: "main", following: false, reason: .requested)

  init() {
    var configuration = DaemonConfiguration()
    configuration.sources = [SourceURI(SerialOptions(path: "/dev/gps0"))]
    let sources = SourceList(configuration.sources)
    let server = Server(
      configuration, sources, to: engine, rides: RideObserver(sources), clock: EngineClock(), on: loop,
      log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    self.server = server
    engine.onTurnEnd = { [unowned server] in server.turnDidEnd() }
    engine.onEvent = { [unowned server] in server.observe($0, at: $1, in: $2) }
  }

  private func connect(_ dialect: Dialect = .handlebar) -> VirtualClient {
    VirtualClient(to: server, on: loop, dialect: dialect)
  }

  private func watch(_ dialect: Dialect = .handlebar) throws -> VirtualClient {
    let client = connect(dialect)
    _ = try client.ask(#"?WATCH={"json":true,"distanceFilter":10};"#)
    return client
  }

  /// Publishes events as one turn.
  private func publish(_ events: EngineEvent...) {
    engine.turn(at: nil) { instant in
      engine.read { engine in
        for event in events { server.observe(event, at: instant, in: engine) }
      }
    }
  }

  private func fix(_ seq: UInt64, north metres: Double) throws -> PublishedFix {
    let position = try #require(Coordinate(latitude: 48 + metres / 111_192, longitude: 11.5))
    var fix = Fix(position: position, mode: .threeD, received: .zero)
    fix.speed = 20
    return PublishedFix(fix: fix, seq: seq, source: 0)
  }

  @Test func `A client is greeted, and the engine is told when it disconnects`() throws {
    let client = connect()
    #expect(try client.take().names == ["VERSION"])
    client.close()
    #expect(engine.departed == [ClientID(1)])
    #expect(server.clients.sessions.isEmpty)
  }

  @Test func `An event reaches every subscriber in order, and no other client`() throws {
    let (subscriber, gpsd, bystander) = (try watch(), try watch(.gpsd), connect())
    _ = try bystander.take()
    let home = try Target(name: "home", coordinate: #require(Coordinate(latitude: 48, longitude: 11)))
    publish(
      .told(.follow(state), to: .subscribers(and: nil)), .told(.targetRemoved(home), to: .subscribers(and: nil)))
    let lines = try subscriber.take()
    #expect(lines.names == ["FOLLOW", "ARRIVAL"])
    #expect(lines.follows == [FollowReport(state)])
    #expect(lines.arrivals.map(\.state) == [.removed])
    for client in [gpsd, bystander] { #expect(try client.take().isEmpty) }
  }

  @Test func `A fix passes each subscriber's own filter`() throws {
    let (coarse, all) = (try watch(), connect())
    _ = try all.ask(#"?WATCH={"json":true,"distanceFilter":0};"#)
    for seq in 1...4 { publish(.fix(try fix(UInt64(seq), north: Double(seq) * 4), sky: nil, noise: nil)) }
    #expect(try all.take().fixes.map(\.seq) == [1, 2, 3, 4])
    #expect(try coarse.take().fixes.map(\.seq) == [1, 4])
    publish(.sendNewest(try fix(4, north: 16)))
    #expect(try coarse.take().isEmpty, "it is no renderer")
  }

  @Test func `An estimate reaches those who read estimates of its device`() throws {
    let (all, own, other) = (connect(), connect(), try watch())
    _ = try all.ask(#"?WATCH={"json":true,"estimated":true};"#)
    _ = try own.ask(#"?WATCH={"json":true,"estimated":true,"device":"/dev/gps0"};"#)
    var estimate = try fix(1, north: 0)
    for source: SourceID in [0, 1] {
      estimate.source = source
      publish(.estimate(estimate))
    }
    #expect(try all.take().fixes.map(\.reason) == ["estimated", "estimated"])
    #expect(try own.take().fixes.map(\.device) == ["/dev/gps0"] && other.take().isEmpty)
  }

  @Test func `What a request found is the answer to its client alone`() throws {
    let (client, other) = (try watch(), try watch())
    engine.effect = { [state] in [.told(.follow(state), to: .client($0))] }
    #expect(try client.ask(#"?VIEW={"lat":48,"lon":11.5};"#).follows == [FollowReport(state)])
    engine.effect = { _ in [] }
    #expect(try client.ask(#"?VIEW={"lat":48,"lon":11.5};"#).isEmpty)
    #expect(try other.take().isEmpty)
    #expect(engine.requests.count == 2)
  }

  @Test func `What a request changed goes once to its client and to each subscriber`() throws {
    let (subscriber, other, bystander, idle) = (try watch(), try watch(), connect(), connect())
    for client in [bystander, idle] { _ = try client.take() }
    let home = try Target(name: "home", coordinate: #require(Coordinate(latitude: 48, longitude: 11)))
    var trips = TripTable()
    let trip = try trips.apply(.start, to: "day", from: .host("")).status
    for (event, name) in [
      (.follow(state), "FOLLOW"), (.arrival(Arrival(target: home, state: .away)), "ARRIVAL"),
      (.targetRemoved(home), "ARRIVAL"), (.trip(trip), "TRIP"),
    ] as [(ClientEvent, String)] {
      engine.effect = { [.told(event, to: .subscribers(and: $0))] }
      for asker in [subscriber, bystander] {
        #expect(try asker.ask(#"?FOLLOW={"enable":false};"#).names == [name])
        #expect(try other.take().names == [name] && idle.take().isEmpty)
        _ = try subscriber.take()
      }
    }
  }

  @Test func `A refusal by the engine is an ERROR with the request's name, and counted`() throws {
    let client = connect()
    engine.effect = { _ throws(RequestRefusal) in throw .missing(.target, name: "home") }
    let errors = try client.ask(#"?TARGET={"name":"home","enable":false};"#).errors
    #expect(errors.map(\.request) == ["TARGET"])
    #expect(errors.map(\.message) == ["there is no target \"home\""])
    #expect(server.clients.counters.badRequests == 1)
  }

  @Test
  func `A client that leaves too much unread is closed while events are published, and leaves the engine once`() throws
  {
    let (frozen, other) = (connect(), try watch())
    _ = try frozen.ask(#"?WATCH={"json":true,"handlebar":false};"#)
    frozen.stopReading()
    for _ in 0...70 { publish(.fixLost(source: 0, time: nil)) }
    #expect(frozen.isClosed)
    #expect(engine.departed == [ClientID(1)])
    publish(.told(.follow(state), to: .subscribers(and: nil)))
    #expect(try other.take().follows.count == 1)
  }
}
