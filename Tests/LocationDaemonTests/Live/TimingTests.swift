import Glibc
import Testing

@Suite("What falls due by itself", .onOwnThread, .timeLimit(.minutes(5)))
struct TimingTests {
  @Test("a question times out when its time is over, not before")
  func locate() throws {
    let line = try PseudoTerminal()
    let daemon = try DaemonUnderTest("serial:\(line.path)")
    let client = try daemon.connect()
    let asked = ContinuousClock.now
    try client.send(#"?LOCATE={"timeout":0.3};"#)
    #expect(try client.error().code == "timedOut")
    #expect(asked.duration(to: .now) >= .milliseconds(300))
    #expect(try daemon.stop() == 0)
  }

  @Test("a heartbeat, an epoch that silence closes, and the loss come without another byte")
  func silence() throws {
    let line = try PseudoTerminal()
    let daemon = try DaemonUnderTest("serial:\(line.path)")
    let client = try daemon.connect()
    try client.send(#"?WATCH={"json":true,"distanceFilter":1000,"heartbeat":0.2};"#)
    _ = try client.state("acquiring")
    try line.write(NMEAEpoch(number: 0).text)
    #expect(try client.fix().reason == "first")
    let sent = (instant: ContinuousClock.now, watch: Stopwatch(daemon))
    try line.write(NMEAEpoch(number: 1, north: 1, speed: 1).text)
    #expect(try client.fix().reason == "heartbeat")
    _ = try client.state("lost")
    #expect(sent.instant.duration(to: .now) >= .seconds(3))
    #expect(sent.watch.elapsed < .seconds(4))
    #expect(try daemon.stop() == 0)
  }
}
