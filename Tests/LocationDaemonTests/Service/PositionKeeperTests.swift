import GPSDProtocol
import LocationCore
import Logging
import Testing

@testable import LocationDaemon

@Suite("Last position of an earlier run", .timeLimit(.minutes(5)))
struct PositionKeeperTests {
  private let scratch: ScratchDirectory
  private let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
  private let watch = #"?WATCH={"json":true};"#

  init() throws { scratch = try ScratchDirectory() }

  /// A run of a daemon in this boot of the machine, up to an orderly end.
  private func run(
    boot: String = "b1", sources: [SourceURI] = [SourceURI(SerialOptions(path: "/dev/gps0"))],
    endsOrderly: Bool = true, _ body: (VirtualDaemon) throws -> Void
  ) throws {
    let state = StateDirectory(path: scratch.path, log: log)
    defer { state.stop() }
    let daemon = try VirtualDaemon(sources: sources)
    let keeper = PositionKeeper(state, daemon.sources, boot: boot)
    daemon.server.positions = keeper
    daemon.engineLoop.observers.append(keeper)
    daemon.open()
    try body(daemon)
    if endsOrderly { keeper.write() }
  }

  private func lastKnown(of daemon: VirtualDaemon) throws -> LastKnown? {
    let client = daemon.connect()
    _ = try client.take()
    return try client.ask(watch).states.first?.lastKnown
  }

  @Test func `Before the first fix, states and errors have the position of the run before`() throws {
    try run { daemon in
      #expect(try lastKnown(of: daemon) == nil)
      daemon.ride(0...10)
      #expect(try lastKnown(of: daemon) == nil, "tracking")
      daemon.advance(10)
      let lost = try #require(try lastKnown(of: daemon))
      #expect(lost.seq == 11 && (lost.age ?? .zero) > .seconds(9), "this run's")
    }
    try run(boot: "b2") { daemon in
      let last = try #require(try lastKnown(of: daemon))
      #expect(abs(last.coordinate.latitude - 48.0018) < 1e-4 && abs(last.coordinate.longitude - 11.5) < 1e-6)
      #expect(last.source == "serial" && last.time != nil)
      #expect(last.seq == nil && last.age == nil)
      let client = daemon.connect()
      _ = try client.take()
      let error = try #require(try client.ask(#"?LOCATE={"timeout":0};"#).errors.first)
      let known = try #require(error.lastKnown)
      #expect(known == last && known.age == nil && known.seq == nil)
      #expect(try client.ask("?STATUS;").first?.text.contains(#""lastKnown":{"time":"#) == true)
      daemon.ride(0...0)
      #expect(try lastKnown(of: daemon) == nil)
    }
  }

  @Test func `The age follows from the receiver's UTC after a restart of the machine`() throws {
    try run { $0.ride(0...10) }
    try run(boot: "b2") { daemon in
      daemon.begin(0)
      // A receiver that knows the date, but not the place, 90 s after that of the position.
      daemon.receive(NMEAEpoch(number: 100, isValid: false).text)
      daemon.advance(2)
      let age = try #require(try lastKnown(of: daemon)?.age)
      #expect(abs(age / .seconds(1) - 92) < 1.5)
    }
    try run(boot: "b1") { daemon in
      let age = try lastKnown(of: daemon)?.age
      #expect(age != nil || EngineClock.machine < .zero + .seconds(1011), "the same clock")
    }
  }

  @Test func `It is written once a minute, and at the end`() throws {
    try run(endsOrderly: false) { $0.ride(0...70) }
    try run(endsOrderly: false) { daemon in
      let last = try #require(try lastKnown(of: daemon))
      #expect(abs(last.coordinate.latitude - (48 + 20 * 60 / 1853.2 / 60)) < 1e-3)
    }
    try run { $0.ride(0...10) }
    try run { daemon in
      let last = try lastKnown(of: daemon)
      #expect(abs((last?.coordinate.latitude ?? 0) - 48.0018) < 1e-4)
    }
  }

  @Test func `A recording or a simulation does not overwrite it`() throws {
    try run { $0.ride(0...10) }
    let kept = scratch.read("position")
    #expect(kept.hasPrefix("# handlebard position 1\nb1 "))
    for source in [SourceURI(RecordingOptions(paths: ["x"])), try SourceURI("simulate:tour")] {
      try run(sources: [source]) { $0.ride(0...100) }
      #expect(scratch.read("position") == kept)
    }
  }

  @Test(arguments: [
    "", "b1 5", #"b1 x {"lat":1,"lon":2}"#, #"b1 5 {"lat":91,"lon":2}"#, #"b1 5 {"lat":1}"#,
    #"b1 5 {"lat":"1","lon":2}"#,
    "b1 5 {\"lat\":1,\"lon\":2}\nb1 5 {\"lat\":1,\"lon\":2}",
  ])
  func `A damaged position is set aside`(line: String) throws {
    try scratch.write("# handlebard position 1\n\(line)\nend\n", to: "position")
    try run { daemon in
      let last = try lastKnown(of: daemon)
      #expect(last == nil)
    }
    #expect(scratch.names == ["position.damaged"])
    try scratch.write("# handlebard position 1\nunknown 5 {\"lat\":1,\"lon\":2}\nend\n", to: "position")
    try run(boot: "unknown") { daemon in
      let last = try lastKnown(of: daemon)
      #expect(last?.coordinate.latitude == 1 && last?.age == nil)
    }
  }
}
