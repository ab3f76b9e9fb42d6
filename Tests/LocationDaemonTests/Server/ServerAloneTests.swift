import GPSDProtocol
@testable import LocationCore
import Logging
import NIOEmbedded
import Testing

@testable import LocationDaemon

/// An engine that answers every request as the test has set.
private final class ScriptedEngine: ClientInlet {
  private let engine = LocationEngine(sources: [SourceSetup(id: 0, device: "/dev/gps0")], at: .zero)
  var outcome: Result<RequestOutcome, RequestRefusal> = .success(.none)
  /// The requests besides the notice of a connection.
  private(set) var requests: [EngineRequest] = []
  private(set) var departed: [ClientID] = []
  var onTurnEnd: () -> Void = {}

  func turn(at instant: MonotonicInstant?, _ body: (MonotonicInstant) -> Void) {
    body(instant ?? .zero)
    onTurnEnd()
  }

  func read(_ body: (borrowing LocationEngine) -> Void) { body(engine) }

  func handle(
    _ request: EngineRequest, from client: ClientID, at instant: MonotonicInstant
  ) throws(RequestRefusal) -> RequestOutcome {
    if case .connected = request { return .none }
    requests.append(request)
    return try outcome.get()
  }

  func disconnect(_ client: ClientID) { departed.append(client) }
}

@Suite("The server without an engine loop")
struct ServerAloneTests {
  private let loop = EmbeddedEventLoop()
  private let engine = ScriptedEngine()
  private let server: Server
  private let state = FollowState(view: "main", following: false, reason: .requested)

  init() {
    var configuration = DaemonConfiguration()
    configuration.sources = [.serial(SerialOptions(path: "/dev/gps0"))]
    let sources = SourceList(configuration.sources)
    let server = Server(
      configuration, sources, to: engine, rides: RideObserver(sources), clock: EngineClock(), on: loop,
      log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    self.server = server
    engine.onTurnEnd = { [unowned server] in server.turnDidEnd() }
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
    publish(.follow(state), .targetRemoved(home))
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

  @Test func `The outcome of a request is the answer to its client alone`() throws {
    let (client, other) = (try watch(), try watch())
    engine.outcome = .success(.reported(state))
    #expect(try client.ask(#"?VIEW={"lat":48,"lon":11.5};"#).follows == [FollowReport(state)])
    engine.outcome = .success(.reported(nil))
    #expect(try client.ask(#"?VIEW={"lat":48,"lon":11.5};"#).isEmpty)
    engine.outcome = .success(.target(nil))
    #expect(try client.ask(#"?TARGET={"name":"home","lat":48,"lon":11.5};"#).errors.map(\.code) == [.noTarget])
    #expect(try other.take().isEmpty)
    #expect(engine.requests.count == 3)
  }

  @Test func `A change of follow mode is answered by its event, except to a client that receives none`() throws {
    let (subscriber, bystander) = (try watch(), connect())
    let request = #"?FOLLOW={"enable":false};"#
    for isChanged in [true, false] {
      engine.outcome = .success(.follow(state, isChanged: isChanged))
      #expect(try subscriber.ask(request).follows.count == (isChanged ? 0 : 1))
      #expect(try bystander.ask(request).follows.count == 1)
    }
  }

  @Test func `A refusal by the engine is an ERROR with the request's name, and counted`() throws {
    let client = connect()
    engine.outcome = .failure(.noTarget(name: "home"))
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
    publish(.follow(state))
    #expect(try other.take().follows.count == 1)
  }
}
