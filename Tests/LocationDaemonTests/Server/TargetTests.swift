import GPSDProtocol
import Testing

@testable import LocationDaemon

@Suite("TARGET and ARRIVAL")
struct TargetTests {
  /// 400 m north of epoch 0.
  private let set = #"?TARGET={"name":"home","lat":48.003597,"lon":11.5,"radius":50};"#

  @Test func `Every subscriber receives arrival and departure, once each`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let asker = daemon.connect()
    let subscriber = try daemon.watch(filter: 1000)
    _ = try asker.take()
    let answer = try #require(try asker.ask(set).arrivals.first)
    #expect(answer.name == "home")
    #expect(answer.state == .init("away"))
    #expect(answer.distance == nil)
    daemon.ride(0...40)
    #expect(try asker.take().isEmpty)
    let arrivals = try subscriber.take().arrivals
    #expect(arrivals.map(\.state) == [.away, .arriving, .away])
    #expect(arrivals.first == answer, "what was set")
    #expect(
      arrivals.allSatisfy {
        $0.coordinate?.latitude == 48.003597 && $0.coordinate?.longitude == 11.5 && $0.radius == 50
      })
    let distance = try #require(arrivals[1].distance)
    #expect(distance < 50)
    #expect(arrivals[1].bearing == 0 || arrivals[1].bearing == 360)
  }

  @Test func `A query reports distance, bearing and time`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = daemon.connect()
    try client.send(set)
    daemon.ride(0...11)
    let arrival = try #require(try client.ask("?TARGET;").arrivals.first)
    let distance = try #require(arrival.distance)
    #expect(abs(distance - 180) < 2)
    #expect(arrival.bearing == 0)
    let eta = try #require(arrival.timeRemaining) / .seconds(1)
    #expect(abs(eta - 9) <= 1)
  }

  @Test func `A client that sets or replaces a target receives it once, and so does every other subscriber`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let (client, other) = (try daemon.watch(), try daemon.watch())
    #expect(try client.ask(set).arrivals.map(\.radius) == [50])
    #expect(try other.take().arrivals.map(\.radius) == [50])
    let replaced = set.split(separator: "50}").joined(separator: "70}")
    #expect(try client.ask(replaced).arrivals.map(\.radius) == [70])
    #expect(try other.take().arrivals.map(\.radius) == [70])
  }

  @Test func `Arrivals are repeated at the interval while moving, whatever the filter passes`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = try daemon.watch(filter: 1000)
    let every = try daemon.watch(filter: 1000)
    _ = try client.ask(set)
    let report = try every.ask(#"?WATCH={"arrivals":5,"distanceFilter":1000};"#).watches.first
    #expect(report?.arrivals == 5)
    daemon.ride(0...10)
    #expect(try client.take().arrivals.isEmpty)
    let repeated = try every.take().arrivals
    #expect(repeated.map { ($0.distance ?? 0).rounded() } == [320, 220] && repeated.allSatisfy(\.isRepeated))
    for number in 11...30 { daemon.play(NMEAEpoch(number: number, north: 200, speed: 0)) }
    #expect(try every.take().arrivals.isEmpty, "standing")
    #expect(try every.ask(#"?WATCH={"arrivals":0};"#).watches.first?.arrivals == nil)
    daemon.ride(31...40)
    let transitions = try client.take().arrivals
    #expect(transitions.allSatisfy { !$0.isRepeated })
    #expect(try every.take().arrivals == transitions)
  }

  @Test func `An interval of a second misses no fix, however the fixes arrive`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = try daemon.watch(filter: 1000)
    _ = try client.ask(#"?WATCH={"arrivals":1};"#)
    _ = try client.ask(#"?TARGET={"name":"far","lat":49,"lon":11.5};"#)
    daemon.ride(0...20)
    #expect(try client.take().arrivals.count >= 20)
  }

  @Test func `A removed target is gone, and an unknown one cannot be removed`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = try daemon.watch()
    _ = try client.ask(set)
    #expect(try client.ask(#"?TARGET={"name":"home","enable":false};"#).arrivals.map(\.state) == [.removed])
    let errors = try client.ask(#"?TARGET={"name":"home","enable":false};"#).errors
    #expect(errors.first?.message.contains("\"home\"") == true)
    #expect(try client.ask("?TARGET;").errors.map(\.code) == [.noTarget])
    daemon.ride(0...40)
    #expect(try client.take().arrivals.isEmpty)
  }

  @Test(arguments: ["0.5", "10001", "100001"])
  func `An invalid radius is refused and sets nothing`(radius: String) throws {
    let daemon = try VirtualDaemon()
    let client = daemon.connect()
    _ = try client.take()
    let lines = try client.ask(#"?TARGET={"name":"home","lat":48,"lon":11,"radius":\#(radius)};"#)
    #expect(lines.names == ["ERROR"])
    #expect(lines.errors.first?.request == "TARGET")
    #expect(daemon.engineLoop.engine.desk.targets.states.isEmpty)
  }

  @Test func `The number of targets is limited`() throws {
    let daemon = try VirtualDaemon()
    let client = daemon.connect()
    for number in 0..<40 {
      _ = try client.take()
      try client.send(#"?TARGET={"name":"\#(number)","lat":48,"lon":11};"#)
    }
    #expect(try client.take().errors.first?.message.contains("limit of 8 targets") == true)
    #expect(daemon.engineLoop.engine.desk.targets.states.count == 8)
    let other = daemon.connect()
    #expect(try other.ask(set).arrivals.map(\.name) == ["home"])
  }

  @Test func `A target ends with its connection, which every subscriber receives; a persistent one stays`() throws {
    let daemon = try VirtualDaemon()
    let client = daemon.connect()
    let subscriber = try daemon.watch()
    try client.send(set)
    try client.send(#"?TARGET={"name":"kept","lat":48,"lon":11,"persistent":true};"#)
    client.close()
    let ended = try subscriber.take().arrivals
    #expect(ended.map(\.state) == [.away, .away, .removed])
    #expect(ended.map(\.name) == ["home", "kept", "home"] && ended[2].radius == 50)
    #expect(try subscriber.ask("?TARGET;").arrivals.map(\.name) == ["kept"])
    let other = daemon.connect()
    let removal = try other.ask(#"?TARGET={"name":"kept","enable":false};"#)
    #expect(removal.arrivals.map(\.name) == ["kept"] && removal.arrivals.map(\.state) == [.removed])
    #expect(try subscriber.take().arrivals == removal.arrivals)
  }

  @Test func `A target that makes room for another is reported as removed`() throws {
    let daemon = try VirtualDaemon()
    let subscriber = try daemon.watch()
    let crowd = (0..<9).map { _ in daemon.connect() }
    for (index, client) in crowd.enumerated() {
      for number in 0..<8 { try client.send(#"?TARGET={"name":"\#(index) \#(number)","lat":48,"lon":11};"#) }
      #expect(try client.take().errors.isEmpty)
    }
    #expect(daemon.engineLoop.engine.desk.targets.states.count == 64)
    let removed = try subscriber.take().arrivals.filter { $0.state == .init("removed") }
    #expect(removed.count == 8)
  }
}
