import Logging
import Testing

@testable import LocationDaemon

@Suite("Persistent targets", .timeLimit(.minutes(5)))
struct TargetKeeperTests {
  private let scratch: ScratchDirectory
  private let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
  /// 400 m north of epoch 0.
  private let home =
    #"?TARGET={"name":"home \u00e9\n","lat":48.003597123,"lon":11.5,"radius":50.5,"persistent":true};"#

  init() throws { scratch = try ScratchDirectory() }

  /// A run of a daemon that keeps its targets, up to an orderly end.
  private func run(_ body: (VirtualDaemon) throws -> Void) throws {
    let state = StateDirectory(path: scratch.path, log: log)
    defer { state.stop() }
    let daemon = try VirtualDaemon()
    let keeper = TargetKeeper(state)
    daemon.engineLoop.observers.append(keeper)
    keeper.restore(into: daemon.engineLoop, recording: RideObserver(daemon.sources))
    daemon.open()
    try body(daemon)
  }

  @Test func `They survive a restart with their state, which is not reported again`() throws {
    try run { daemon in
      let client = daemon.connect()
      try client.send(home)
      try client.send(#"?TARGET={"name":"mine","lat":48,"lon":11};"#)
      try client.send(#"?TARGET={"name":"gone","lat":48,"lon":11,"persistent":true};"#)
      try client.send(#"?TARGET={"name":"gone","enable":false};"#)
      daemon.ride(0...19)
    }
    #expect(scratch.names == ["targets"])
    try run { daemon in
      let client = try daemon.watch()
      let kept = try client.ask("?TARGET;").arrivals
      #expect(kept.map(\.name) == ["home é\n"] && kept.first?.state == .arriving)
      #expect(kept.first?.coordinate?.latitude == 48.003597123 && kept.first?.radius == 50.5)
      daemon.ride(19...21)
      #expect(try client.take().arrivals.isEmpty)
      daemon.ride(22...30)
      #expect(try client.take().arrivals.map(\.state) == [.away])
      try client.send(#"?TARGET={"name":"home \u00e9\n","enable":false};"#)
    }
    try run { daemon in
      let kept = try daemon.connect().ask("?TARGET;").arrivals
      #expect(kept.isEmpty)
    }
  }

  @Test(arguments: [
    "- away {}", "- away", "1000 away x", "-1 away TARGET", "4294967296 away TARGET", "- gone TARGET",
    "- away TARGET\n- away TARGET", "- away FOLLOW", "- away NaN",
  ])
  func `A damaged target is left out alone, and the file is kept`(lines: String) throws {
    let target = #"{"request":"TARGET","name":"home","lat":48,"lon":11,"persistent":true}"#
    let follow = #"{"request":"FOLLOW","view":"main","enable":true}"#
    let nan = #"{"request":"TARGET","name":"home","lat":NaN,"lon":11}"#
    func text(_ lines: String) -> String {
      let lines = lines.split(separator: "TARGET", omittingEmptySubsequences: false).joined(separator: target)
        .split(separator: "FOLLOW", omittingEmptySubsequences: false).joined(separator: follow)
        .split(separator: "NaN", omittingEmptySubsequences: false).joined(separator: nan)
      return "# handlebard targets 1\n\(lines)\nend\n"
    }
    try scratch.write(text(lines), to: "targets")
    try run { daemon in
      #expect(daemon.engineLoop.engine.desk.targets.states.count == (lines.contains("\n") ? 1 : 0))
    }
    #expect(scratch.names == ["targets", "targets.damaged"])
    try scratch.write(text(lines + "\n1000 arriving TARGET"), to: "targets")
    try run { daemon in #expect(daemon.engineLoop.engine.desk.targets.states.count == 1) }
    #expect(scratch.read("targets.damaged").contains("arriving"))
    try scratch.write(text("1000 arriving TARGET"), to: "targets")
    try run { daemon in #expect(daemon.engineLoop.engine.desk.targets.states.map(\.state) == [.arriving]) }
    #expect(scratch.names == ["targets", "targets.damaged"])
  }
}
