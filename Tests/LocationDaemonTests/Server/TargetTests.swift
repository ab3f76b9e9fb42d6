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
    #expect(answer.state == "away")
    #expect(answer.distance == nil)
    daemon.ride(0...40)
    #expect(try asker.take().isEmpty)
    let arrivals = try subscriber.take().arrivals
    #expect(arrivals.map(\.state) == ["arriving", "away"])
    let distance = try #require(arrivals.first?.distance)
    #expect(distance < 50)
    #expect(arrivals.first?.bearing == 0 || arrivals.first?.bearing == 360)
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
    let eta = try #require(arrival.eta) / .seconds(1)
    #expect(abs(eta - 9) <= 1)
  }

  @Test func `A removed target is gone, and an unknown one cannot be removed`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = try daemon.watch()
    _ = try client.ask(set)
    #expect(try client.ask(#"?TARGET={"name":"home","enable":false};"#).arrivals.map(\.state) == ["removed"])
    let errors = try client.ask(#"?TARGET={"name":"home","enable":false};"#).errors
    #expect(errors.first?.message.contains("\"home\"") == true)
    #expect(try client.ask("?TARGET;").errors.map(\.code) == ["noTarget"])
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
    #expect(daemon.engineLoop.engine.targets.states.isEmpty)
  }

  @Test func `The number of targets is limited`() throws {
    let daemon = try VirtualDaemon()
    let client = daemon.connect()
    for number in 0..<40 {
      _ = try client.take()
      try client.send(#"?TARGET={"name":"\#(number)","lat":48,"lon":11};"#)
    }
    #expect(try client.take().errors.first?.message.contains("limit of 8 targets") == true)
    #expect(daemon.engineLoop.engine.targets.states.count == 8)
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
    #expect(try subscriber.take().arrivals == [ArrivalReport(name: "home", state: "removed")])
    #expect(try subscriber.ask("?TARGET;").arrivals.map(\.name) == ["kept"])
    let other = daemon.connect()
    let removal = try other.ask(#"?TARGET={"name":"kept","enable":false};"#)
    #expect(removal.arrivals == [ArrivalReport(name: "kept", state: "removed")])
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
    #expect(daemon.engineLoop.engine.targets.states.count == 64)
    let removed = try subscriber.take().arrivals
    #expect(removed.count == 8)
    #expect(removed.allSatisfy { $0.state == "removed" })
  }
}
