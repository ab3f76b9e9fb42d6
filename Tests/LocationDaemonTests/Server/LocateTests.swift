import GPSDProtocol
import LocationCore
import Testing

@testable import LocationDaemon

@Suite("LOCATE: one fix, exactly one answer")
struct LocateTests {
  @Test func `A recent fix answers at once`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    daemon.ride(0...2)
    daemon.advance(1.6)
    let lines = try daemon.connect().ask("?LOCATE;")
    let fix = try #require(lines.fixes.first)
    #expect(fix.reason == "requested")
    #expect(fix.seq == 3)
    #expect(fix.age == 2)
    #expect(lines.fixes.count == 1)
  }

  @Test func `An older fix does not answer; the next fix does, once`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    daemon.ride(0...2)
    daemon.advance(1.7)
    let client = daemon.connect()
    _ = try client.take()
    #expect(try client.ask("?LOCATE;").isEmpty)
    #expect(try client.ask(#"?LOCATE={"maxAge":5};"#).fixes.count == 1)
    daemon.ride(5...8)
    #expect(try client.take().fixes.map(\.seq) == [4])
  }

  @Test func `Without a fix the request times out with the last known position and its age`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    daemon.ride(0...2)
    daemon.advance(19.6)
    let client = daemon.connect()
    _ = try client.ask("?LOCATE;")
    daemon.advance(9.999)
    #expect(try client.take().isEmpty)
    daemon.advance(0.001)
    let lines = try client.take()
    #expect(lines.names == ["ERROR"])
    let error = try #require(lines.errors.first)
    #expect(error.code == .init("timedOut"))
    #expect(error.request == "LOCATE")
    #expect(error.message.contains("lost"))
    #expect(error.lastKnown?.seq == 3)
    #expect(error.lastKnown?.age == .seconds(30))
    #expect(error.lastKnown?.source == "serial")
    let latitude = try #require(error.lastKnown).coordinate.latitude
    #expect(abs(latitude - 48.00036) < 1e-5)
    daemon.advance(60)
    #expect(try client.take().isEmpty)
  }

  @Test func `An extrapolated position without an error is not the last known one`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    daemon.ride(0...2)
    let client = daemon.connect()
    for (number, minutes) in [(3, "032377"), (4, "043169"), (5, "053961")] {
      daemon.begin(number)
      daemon.receive(
        NMEAEpoch.sentence("GNRMC,12000\(number).00,A,4800.\(minutes),N,01130.000000,E,38.877,0.0,190326,,,E,V"))
      daemon.advance(0.4)
    }
    #expect(daemon.engineLoop.engine.desk.newest?.seq == 6)
    daemon.advance(30)
    let error = try #require(try client.ask(#"?LOCATE={"timeout":0};"#).errors.first)
    #expect(error.lastKnown?.seq == 3)
  }

  @Test(arguments: [0.0, 0.5, 60])
  func `The timeout can be chosen, down to 0`(timeout: Double) throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = daemon.connect()
    _ = try client.take()
    try client.send(#"?LOCATE={"timeout":\#(timeout)};"#)
    if timeout > 0 {
      daemon.advance(timeout - 0.001)
      #expect(try client.take().isEmpty)
      daemon.advance(0.001)
    }
    let errors = try client.take().errors
    #expect(errors.map(\.code) == [.timedOut])
    #expect(errors.first?.lastKnown == nil)
    #expect(errors.first?.message.contains("acquiring") == true)
  }

  @Test(
    arguments: [
      .denied(device: "/dev/gps0", group: "dialout", user: "rider"),
      .disabled(source: "/dev/gps0", by: .rfkill(name: "gps")),
      .misconfigured(source: "/dev/gps0", reason: "it is not a serial line"),
    ] as [SourceError]
  )
  func `A permanent error answers at once, with a remedy`(error: SourceError) throws {
    let daemon = try VirtualDaemon()
    let early = daemon.connect()
    _ = try early.take()
    #expect(try early.ask("?LOCATE;").isEmpty)
    daemon.inlet().note(.opening)
    daemon.inlet().note(.failed(error))
    let late = daemon.connect()
    _ = try late.take()
    for errors in [try early.take().errors, try late.ask("?LOCATE;").errors] {
      #expect(errors.map(\.code) == [ErrorCode(rawValue: error.code)])
      #expect(errors.first?.request == "LOCATE")
      #expect(errors.first?.remedy == error.remedy)
    }
  }

  @Test(
    arguments: [
      .notFound(device: "/dev/gps0", present: []), .busy(device: "/dev/gps0", holder: nil),
      .unavailable(source: "/dev/gps0", reason: "x"), .noNMEA(device: "/dev/gps0", bytes: 200, speeds: []),
    ] as [SourceError]
  )
  func `A temporary error is waited for`(error: SourceError) throws {
    let daemon = try VirtualDaemon()
    daemon.inlet().note(.opening)
    daemon.inlet().note(.failed(error))
    let client = daemon.connect()
    _ = try client.take()
    #expect(try client.ask("?LOCATE;").isEmpty)
    daemon.open()
    daemon.ride(0...0)
    #expect(try client.take().fixes.map(\.seq) == [1])
  }

  @Test func `A disconnected client is not answered, the others are`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let gone = daemon.connect()
    let other = daemon.connect()
    try gone.send("?LOCATE;")
    try other.send("?LOCATE;")
    _ = try other.take()
    gone.close()
    daemon.ride(0...0)
    #expect(try other.take().fixes.count == 1)
    #expect(daemon.engineLoop.engine.desk.locates.deadline == nil)
  }

  @Test func `A request beyond the limit per client is refused, the others stay pending`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = daemon.connect()
    _ = try client.take()
    let errors = try client.ask(String(repeating: "?LOCATE;", count: 9)).errors
    #expect(errors.map(\.request) == ["LOCATE"])
    daemon.ride(0...0)
    #expect(try client.take().fixes.count == 8)
  }
}
