import Testing

@testable import LocationDaemon

@Suite("TARGET and ARRIVAL")
struct TargetTests {
  /// 400 m north of epoch 0.
  private let set = #"?TARGET={"name":"home","lat":48.003597,"lon":11.5,"radius":50};"#

  @Test("Every subscriber receives arrival and departure, once each")
  func arrival() throws {
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

  @Test("A query reports distance, bearing and time")
  func onTheWay() throws {
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

  @Test("A removed target is gone, and an unknown one cannot be removed")
  func off() throws {
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

  @Test("An invalid radius is refused and sets nothing", arguments: ["0.5", "10001", "100001"])
  func refused(radius: String) throws {
    let daemon = try VirtualDaemon()
    let client = daemon.connect()
    _ = try client.take()
    let lines = try client.ask(#"?TARGET={"name":"home","lat":48,"lon":11,"radius":\#(radius)};"#)
    #expect(lines.names == ["ERROR"])
    #expect(lines.errors.first?.request == "TARGET")
    #expect(daemon.host.engine.targets.states.isEmpty)
  }

  @Test("The number of targets is limited")
  func bounded() throws {
    let daemon = try VirtualDaemon()
    let client = daemon.connect()
    for number in 0..<40 {
      _ = try client.take()
      try client.send(#"?TARGET={"name":"\#(number)","lat":48,"lon":11};"#)
    }
    #expect(try client.take().errors.first?.message.contains("32") == true)
    #expect(daemon.host.engine.targets.states.count == 32)
  }
}
