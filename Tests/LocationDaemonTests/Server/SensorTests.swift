import GPSDProtocol
import LocationCore
import Testing

@testable import LocationDaemon

@Suite("SENSOR")
struct SensorTests {
  private let heart = #"?SENSOR={"sensor":"heartRate","value":142,"source":"strap"};"#

  @Test func `Only those who ask for sensors receive them, and the client that feeds one its first`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let (feeder, bystander) = (daemon.connect(), try daemon.watch())
    let reader = daemon.connect()
    let answer = try reader.ask(#"?WATCH={"json":true,"sensors":true};"#)
    #expect(answer.first { $0.name == "WATCH" }?.text.contains(#""sensors":true"#) == true)
    #expect(answer.sensors.isEmpty)
    #expect(try feeder.ask("?SENSOR;").errors.map(\.code) == [.noSensor])
    let report = SensorReport(sensor: .heartRate, source: "strap", value: 142, unit: "1/min")
    #expect(try feeder.ask(heart).sensors == [report])
    #expect(try feeder.ask(heart).isEmpty)
    #expect(try reader.take().sensors == [report])
    #expect(try bystander.take().sensors.isEmpty)
    // Later it has an age, for a question and for a new reader.
    daemon.advance(2.5)
    var old = report
    old.age = .seconds(2.5)
    #expect(try bystander.ask("?SENSOR;").sensors == [old])
    #expect(try bystander.ask(#"?WATCH={"sensors":true};"#).sensors == [old])
    #expect(try reader.ask(#"?WATCH={"sensors":false};"#).sensors.isEmpty)
    _ = try feeder.ask(heart)
    #expect(try reader.take().sensors.isEmpty)
    #expect(try bystander.take().sensors == [report])
  }

  @Test func `A client without the additions receives neither sensors nor poses`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let clients = [daemon.connect(), daemon.connect(.gpsd)]
    _ = try clients[0].ask(#"?WATCH={"json":true,"handlebar":false,"sensors":true,"poses":10};"#)
    _ = try clients[1].ask(#"?WATCH={"json":true,"sensors":true};"#)
    _ = try daemon.connect().ask(heart)
    daemon.ride(0...3)
    for client in clients {
      let names = try Set(client.take().names)
      #expect(names.contains("TPV") && names.isDisjoint(with: ["SENSOR", "POSE"]))
    }
  }

  @Test func `A slow reader misses no change, and the answer to a reading of its own least of all`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let (slow, feeder) = (try daemon.watch(#","sensors":true"#), daemon.connect())
    slow.stopReading()
    try slow.send("?VERSION;")
    try slow.send(heart)
    for (seconds, value) in [(0.0, 60), (1, 61), (1, 900)] {
      daemon.advance(seconds)
      try feeder.send(#"?SENSOR={"sensor":"heartRate","value":\#(value)};"#)
    }
    slow.resumeReading()
    #expect(try slow.take().sensors.map(\.value) == [142, 60, 900])
  }

  @Test func `More than 20 readings a second are one error a second, and the client stays`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = daemon.connect()
    let lines = try client.ask(String(repeating: heart, count: 100))
    #expect(lines.sensors.count == 1 && lines.errors.count == 1)
    #expect(lines.errors.first?.message.contains("20 sensor readings a second") == true)
    #expect(try client.ask("?SENSOR;").sensors.map(\.refused) == [80])
    daemon.advance(1)
    #expect(try client.ask(heart).errors.isEmpty)
  }

  @Test func `A start between two fixes is told by the newest of them, regardless of the filter`() throws {
    let daemon = try VirtualDaemon()
    daemon.engineLoop.engine.desk.knownWheels = KnownWheels(given: 2)
    daemon.open()
    let (every, far) = (try daemon.watch(), try daemon.watch(filter: 1000))
    let plain = daemon.connect()
    try plain.send(#"?WATCH={"json":true,"handlebar":false};"#)
    var count = 0
    func turn() throws {
      count += 1
      let time = Int((daemon.now - .zero).inSeconds * 1024) % 65_536
      try every.send(#"?SENSOR={"sensor":"wheel","count":\#(count),"time":\#(time)};"#)
    }
    for number in 0..<5 {
      daemon.play(NMEAEpoch(number: number, north: 2 * Double(number), speed: 2))
      try turn()
    }
    for number in 5..<12 { daemon.play(NMEAEpoch(number: number, north: 10, speed: 0)) }
    try turn()
    daemon.play(NMEAEpoch(number: 12, north: 10, speed: 0))
    for client in [every, far, plain] { _ = try client.take() }
    daemon.advance(0.4)
    try turn()
    for client in [every, far] {
      let told = try client.take().fixes
      #expect(told.map(\.reason) == ["started"] && told.map(\.seq) == [13])
      let (age, speed) = (try #require(told.first?.age), try #require(told.first?.wheelSpeed))
      #expect((0.3...0.9).contains(age) && (1...1.9).contains(speed))
    }
    #expect(try plain.take().fixes.isEmpty)
  }

  @Test func `A second client that feeds the same sensor is refused while the first does`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let (first, second) = (daemon.connect(), daemon.connect())
    _ = try first.ask(heart)
    #expect(try second.ask(heart).errors.first?.message.contains("another client feeds") == true)
    first.close()
    #expect(try second.ask(heart).sensors.count == 1)
  }

  @Test func `A TCP client can read sensors, and feed them only if it may control the daemon`() throws {
    for isAllowed in [false, true] {
      let daemon = try VirtualDaemon { $0.tcpControl = isAllowed }
      let client = daemon.connect(.gpsd)
      _ = try client.ask(#"?WATCH={"enable":false,"handlebar":true};"#)
      #expect(try client.ask("?SENSOR;").errors.map(\.code) == [.noSensor])
      let lines = try client.ask(heart)
      #expect(isAllowed ? lines.sensors.count == 1 : lines.errors.map(\.code) == [.forbidden])
    }
  }
}
