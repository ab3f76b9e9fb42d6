import CGPIO
import GPSDProtocol
import Glibc
import LocationCore
import NIOCore
import SystemPackage
import Testing

@testable import LocationDaemon

@Suite("Sensors that the daemon reads")
struct NativeSensorTests {
  private static func write(_ files: [String: String], to folder: ScratchDirectory, _ path: String) throws {
    var below = folder.path
    for name in path.split(separator: "/") {
      below += "/\(name)"
      mkdir(below, 0o755)
    }
    for (name, text) in files {
      let file = try #require(fopen("\(below)/\(name)", "w"))
      fputs(text, file)
      fclose(file)
    }
  }

  @Test func `They are configured among the sources, and are none of them`() throws {
    var configuration = DaemonConfiguration()
    let uris = ["iio:pressure", "serial:/dev/gps0", "gpio:gpiochip0/17", "counter:/dev/counter0"].map {
      try? SourceURI($0)
    }
    configuration.setSources(uris.compactMap { $0 })
    #expect(configuration.sources == [SourceURI(SerialOptions(path: "/dev/gps0"))])
    #expect(configuration.sensors.map(\.device) == ["iio:pressure", "gpio:gpiochip0/17", "counter:/dev/counter0"])
    #expect(throws: Never.self) { try configuration.validate() }
    configuration.setSources([SourceURI(IIOOptions(name: "pressure"))])
    #expect(throws: ConfigurationError.self) { try configuration.validate() }
    configuration.setSources(try ["recording:a?speed=max", "iio:pressure"].map { try SourceURI($0) })
    #expect(throws: ConfigurationError.self) { try configuration.validate() }
    configuration.setSources(try ["recording:a?start=watch", "iio:pressure"].map { try SourceURI($0) })
    #expect(!configuration.waitsForFirstClient, "the sensor is read from the start")
    for (text, word) in [
      ("iio:", "iio:pressure"), ("counter:0", "counter:/dev/counter0"), ("gpio:17", "gpio:gpiochip0/17"),
      ("gpio:gpiochip0/x", "gpio:gpiochip0/17"), ("gpio:/17", "gpio:gpiochip0/17"), ("gpio:a/-1", "gpio:gpiochip0/17"),
      ("iio:\(String(repeating: "x", count: 61))", "64 bytes"), ("iio:pressure?rate=1", "rate"),
    ] {
      let error = #expect(throws: ConfigurationError.self) { try SourceURI(text) }
      #expect(error?.message.contains(word) == true, "\(text)")
    }
    #expect(try SourceURI("gpio:/dev/a/b/4").device == "gpio:/dev/a/b/4")
    #expect(try SourceURI("iio:pressure?enabled=false").kind.isSensor)
  }

  @Test func `A barometer is found by a scan, its name or its folder, and read in either form`() throws {
    let folder = try ScratchDirectory()
    func pascals(_ name: String) throws -> Double? {
      try IIOOptions(name: name, devices: folder.path).reading().value
    }
    #expect(throws: SourceError.self) { try pascals("pressure") }
    try Self.write(["name": "adc\n", "in_voltage_raw": "1\n"], to: folder, "iio:device0")
    try Self.write(["name": "bmp280\n", "in_pressure_input": "95.012500000\n"], to: folder, "iio:device1")
    try Self.write(
      [
        "name": "lps25h\n", "in_pressure_raw": "3900000\n", "in_pressure_scale": "0.0000244\n",
        "in_pressure_offset": "10000\n",
      ],
      to: folder, "iio:device2")
    #expect(try pascals("pressure") == 95_012.5)
    for name in ["lps25h", folder / "iio:device2"] {
      let value = try #require(try pascals(name))
      #expect(abs(value - 95_404) < 0.001)
    }
    #expect(throws: SourceError.notFound(device: "iio:adc", present: ["iio:bmp280", "iio:lps25h"])) {
      try pascals("adc")
    }
    for text in ["nan\n", "\n", "high\n"] {
      try Self.write(["in_pressure_input": text], to: folder, "iio:device1")
      #expect(throws: SourceError.self) { try pascals("bmp280") }
    }
    unlink(folder / "iio:device1/in_pressure_input")
    #expect(throws: SourceError.notFound(device: "iio:bmp280", present: ["iio:lps25h"])) { try pascals("bmp280") }
  }

  @Test func `A counter's count begins again behind its ceiling`() throws {
    let folder = try ScratchDirectory()
    let options = CounterOptions(path: "/dev/counter0", devices: folder.path)
    #expect(throws: SourceError.notFound(device: "counter:/dev/counter0", present: [])) { try options.reading() }
    try Self.write(["count": "4294967301\n"], to: folder, "counter0/count0")
    var expected = SensorRequest(kind: .wheel, count: 5)
    #expect(try options.reading() == expected)
    try Self.write(["count": "70000\n", "ceiling": "65535\n"], to: folder, "counter0/count0")
    (expected.count, expected.wrap) = (4464, 65_536)
    #expect(try options.reading() == expected)
    try Self.write(["ceiling": "18446744073709551615\n", "count": "7\n"], to: folder, "counter0/count0")
    #expect(try options.reading() == SensorRequest(kind: .wheel, count: 7))
    try Self.write(["count": "-7\n"], to: folder, "counter0/count0")
    #expect(throws: SourceError.self) { try options.reading() }
  }

  @Test func `Edges that follow within 10 ms are one, and those that were lost count`() {
    var counter = EdgeCounter()
    for (number, time) in [(1, 100.0), (2, 100.5), (3, 104), (4, 300), (5, 311)] as [(UInt32, Double)] {
      counter.take(cgpio_edge(time: UInt64(time * 1e6), number: number))
    }
    #expect(counter.count == 3 && counter.reading?.time == 311_000)
    counter.take(cgpio_edge(time: 500_000_000, number: 16))
    #expect(counter.count == 14)
    counter.number = nil
    #expect(counter.reading == nil)
    counter.take(cgpio_edge(time: 700_000_000, number: 1))
    #expect(counter.count == 15)
    var wrapping = EdgeCounter()
    wrapping.take(cgpio_edge(time: 100_000_000, number: .max))
    wrapping.take(cgpio_edge(time: 200_000_000, number: 0))
    #expect(wrapping.count == 2)
  }

  @Test(arguments: [1, 2, 40])
  func `10,000 edges a second are 100 turns at most, however few of them the kernel keeps`(every step: Int) {
    var counter = EdgeCounter()
    for number in stride(from: 0, to: 20_000, by: step) {
      counter.take(cgpio_edge(time: 1_000_000_000 + UInt64(number) * 100_000, number: UInt32(number)))
    }
    #expect((150...200).contains(counter.count))
  }

  @Test func `A line that cannot be opened is an error with its remedy`() {
    let options = GPIOOptions(chip: "gpiochip0", line: 17)
    for (error, code, remedy) in [
      (.permissionDenied, "denied", "64-handlebar-local.rules"), (.notPermitted, "denied", "gpio.conf"),
      (.noSuchFileOrDirectory, "notFound", ""), (.resourceBusy, "busy", "gpioinfo"),
      (.invalidArgument, "misconfigured", "--check-config"), (.ioError, "unavailable", "dmesg"),
    ] as [(Errno, String, String)] {
      let found = options.sourceError(for: error, path: "/nonexistent")
      #expect(found.code == code && found.description.contains("gpio:gpiochip0/17"), "\(found)")
      #expect(remedy.isEmpty ? !found.remedy.isEmpty : found.remedy.contains(remedy), "\(found.remedy)")
    }
  }

  /// It does not read by itself within the test.
  private static func sensor(_ options: some SourceKind, _ daemon: VirtualDaemon) throws -> PolledSensor {
    daemon.server.sensors = SourceList([SourceURI(options)], from: 1 << 30)
    let inlet = SourceInlet(try #require(daemon.server.sensors.all.first), into: daemon.engineLoop)
    return PolledSensor(every: .seconds(3600), into: inlet) { () throws(SourceError) in nil }
  }

  /// A line whose edges come at instants in milliseconds.
  private struct Line {
    let options = GPIOOptions(chip: "/nonexistent", line: 17)
    let sensor: PolledSensor
    private var counter = EdgeCounter()

    init(_ daemon: VirtualDaemon) throws { sensor = try NativeSensorTests.sensor(options, daemon) }

    mutating func read(_ edges: [(number: UInt32, milliseconds: Double)]) {
      for edge in edges { counter.take(cgpio_edge(time: UInt64(edge.milliseconds * 1e6), number: edge.number)) }
      sensor.didRead(.success(counter.reading))
    }
  }

  @Test func `A counter that could not be read once stands without turns as before`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let desk = daemon.engineLoop.engine.desk
    desk.knownWheels = KnownWheels(given: 2)
    let sensor = try Self.sensor(CounterOptions(path: "/dev/counter0"), daemon)
    for count in 1...5 {
      sensor.didRead(.success(SensorRequest(kind: .wheel, count: UInt64(count))))
      daemon.advance(1)
    }
    #expect(desk.fusion?.wheel?.speed(at: daemon.now).map { $0 > 1 } == true)
    sensor.didRead(.failure(SourceError.unavailable(source: "counter", reason: "it cannot be read")))
    let asker = daemon.connect()
    #expect(try asker.ask("?STATUS;").statuses.last?.sensors.first?.phase == .failed)
    sensor.didRead(.success(SensorRequest(kind: .wheel, count: 5)))
    #expect(try asker.ask("?STATUS;").statuses.last?.sensors.first?.phase == .tracking)
    daemon.advance(5)
    #expect(desk.fusion?.wheel?.speed(at: daemon.now) == 0)
  }

  @Test func `A wheel on a GPIO line is a sensor of its own, beside the one that a client feeds`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let (reader, feeder) = (try daemon.watch(#","sensors":true"#), daemon.connect())
    var line = try Line(daemon)
    line.read([(1, 1000)])
    daemon.advance(0.5)
    line.read([(2, 1500)])
    let told = try reader.take().sensors
    #expect(told.map(\.source) == ["gpio:/nonexistent/17", "gpio:/nonexistent/17"])
    #expect(told.last?.value == 120 && told.last?.revolutions == 1)
    _ = try feeder.ask(#"?SENSOR={"sensor":"wheel","count":7};"#)
    #expect(try feeder.ask("?SENSOR;").sensors.map(\.source) == ["gpio:/nonexistent/17", nil])
    let taken = try feeder.ask(#"?SENSOR={"sensor":"wheel","count":7,"source":"gpio:/nonexistent/17"};"#)
    #expect(taken.errors.first?.message.contains("another client feeds") == true)
    line.sensor.stop()
    #expect(try feeder.ask(#"?SENSOR={"sensor":"wheel","count":7,"source":"gpio:/nonexistent/17"};"#).errors.isEmpty)
  }

  @Test func `STATUS has a sensor's state, and why it has no readings`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let asker = daemon.connect()
    var line = try Line(daemon)
    func sensor() throws -> SourceReport { try #require(try asker.ask("?STATUS;").statuses.last?.sensors.first) }
    #expect(try sensor().phase == .opening)
    line.sensor.didRead(Result { try GPIOLine(line.options).reading() })
    let missing = try sensor()
    #expect(missing.source == "gpio" && missing.device == "gpio:/nonexistent/17")
    #expect(missing.phase == .failed && missing.error == .notFound && missing.remedy?.isEmpty == false)
    #expect(missing.message == "gpio:/nonexistent/17 does not exist")
    line.read([])
    #expect(try sensor().phase == .acquiring)
    line.read([(1, 1000)])
    let read = try sensor()
    #expect(read.phase == .tracking && read.error == nil && read.message == nil && read.remedy == nil)
    // A client takes the place of one that is silent.
    daemon.advance(6)
    _ = try asker.ask(#"?SENSOR={"sensor":"wheel","count":7,"source":"gpio:/nonexistent/17"};"#)
    line.read([(2, 8000)])
    let refused = try sensor()
    #expect(refused.phase == .failed && refused.error == .init("unavailable"))
    #expect(refused.message?.contains("another client feeds the sensor wheel") == true)
    line.sensor.stop()
  }

  @Test func `A sensor that is switched off is stated with its switch`() throws {
    let daemon = try VirtualDaemon()
    let sensors = SourceList([try SourceURI("iio:pressure?enabled=false")], from: 1 << 30)
    daemon.server.sensors = sensors
    let source = try #require(sensors.all.first)
    let lines = SerialLines(reading: { _ in nil }, open: { nil })
    source.uri.kind.source(
      SourceInlet(source, into: daemon.engineLoop),
      in: SourceWorkshop(serialLines: lines)
    ).start()
    let status = try #require(try daemon.connect().ask("?STATUS;").statuses.last)
    #expect(status.sensors.map(\.phase) == [.failed] && status.sensors.first?.error == .init("disabled"))
  }

  @Test func `10,000 edges a second are an implausible wheel, and at most 20 readings a second`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let reader = try daemon.watch(#","sensors":true"#)
    var line = try Line(daemon)
    for first in stride(from: UInt32(0), to: 19_800, by: 600) {
      // As if the kernel kept 64 of each 100.
      line.read((first..<first + 600).filter { $0 % 100 < 64 }.map { ($0, Double($0) / 10) })
      daemon.advance(0.06)
    }
    let sensor = try #require(try reader.ask("?SENSOR;").sensors.last)
    #expect(sensor.isImplausible && sensor.refused == nil)
    daemon.ride(3...6)
    #expect(try reader.take().contains { $0.name == "TPV" })
  }
}
