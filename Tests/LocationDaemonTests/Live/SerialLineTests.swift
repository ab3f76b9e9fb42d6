import GPSDProtocol
import Glibc
import LocationCore
import Testing

@Suite("A receiver on a serial line", .onOwnThread, .timeLimit(.minutes(5)))
struct SerialLineTests {
  @Test(arguments: [1, 3, 17, 64, 4096])
  func `Sentences become fixes, however the line splits them`(size: Int) throws {
    let line = try PseudoTerminal()
    let daemon = try DaemonUnderTest("serial:\(line.path)")
    let client = try daemon.watch()
    _ = try client.state("acquiring")
    let text = Array((0..<5).map { NMEAEpoch(number: $0, north: 20 * Double($0), speed: 20).text }.joined().utf8)
    for start in stride(from: 0, to: text.count, by: size) {
      try line.write(String(decoding: text[start..<min(start + size, text.count)], as: UTF8.self))
    }
    /// The fixes up to the last one by the numbers of their epochs.
    var fixes: [(number: Int64, fix: TPV)] = []
    while fixes.last?.number != 4 {
      let fix = try client.fix()
      fixes.append((try #require(fix.time).nanosecondsSince1970 / 1_000_000_000 - 1_773_921_600, fix))
    }
    let counts = try until("all sentences to be read") {
      try client.send("?STATUS;")
      let status = try client.wait(for: "STATUS") { if case .status(let status) = $0.report { status } else { nil } }
      return status.counts?["sentences"] == 10 ? status.counts : nil
    }
    #expect(fixes.map(\.fix.seq) == (1...UInt64(fixes.count)).map { $0 })
    // A pause of this process or of the daemon ends an epoch: the sentences that its fix lacks are late then, and of
    // fixes that are late only the newest is published.
    #expect(fixes.count + (counts["lateFixes"] ?? 0) == 5)
    #expect(fixes.count { $0.fix.mode != 3 } <= counts["lateSentences"] ?? 0)
    for (number, fix) in fixes {
      #expect(fix.device == line.path)
      let latitude = try #require(fix.lat)
      #expect(abs(latitude - 48 - Double(number) * 20 / 111_192) < 1e-6)
    }
    #expect(try daemon.stop() == 0)
  }

  @Test(arguments: ["auto", "9600"])
  func `An unplug is reported at once; a device behind the same link is reopened within a second`(speed: String) throws
  {
    let directory = try ScratchDirectory()
    var line = try PseudoTerminal()
    try directory.link("gps0", to: line.path)
    let daemon = try DaemonUnderTest("serial:\(directory / "gps0")?speed=\(speed)", in: directory)
    let client = try daemon.watch()
    _ = try client.state("acquiring")
    for round in 0..<2 {
      try line.write(NMEAEpoch(number: 5 * round).text)
      let fix = try client.fix()
      #expect(fix.reason == (round == 0 ? "first" : "regained"))

      unlink(directory / "gps0")
      let pulled = Stopwatch(daemon)
      line.unplug()
      _ = try client.state("lost")
      #expect(pulled.elapsed < .seconds(2), "it was only noticed by the silence")
      #expect(try client.state("failed").error == .init("notFound"))

      line = try PseudoTerminal()
      try directory.link("gps0", to: line.path)
      let plugged = Stopwatch(daemon)
      _ = try client.state("acquiring")
      #expect(plugged.elapsed < .seconds(2), "the design says 1 s; the rest is a busy machine's")
    }
    #expect(try daemon.stop() == 0)
  }

  @Test func `The process that holds the device is named`() throws {
    let line = try PseudoTerminal()
    let holder = try DaemonUnderTest("serial:\(line.path)")
    _ = try holder.watch().state("acquiring")
    let second = try DaemonUnderTest("serial:\(line.path)")
    let client = try second.watch()
    let state = try client.state("failed")
    #expect(state.error == .init("busy"))
    #expect(state.message?.contains("handlebard (pid \(holder.pid))") == true, "\(state.message ?? "")")
    #expect(state.remedy?.contains("fuser") == true)
    #expect(try holder.stop() == 0)
    if geteuid() == 0 { _ = try client.state("acquiring") }
  }

  @Test(arguments: ["auto", "9600"])
  func `STATUS has no bit rate of a line that is not open`(speed: String) throws {
    let directory = try ScratchDirectory()
    let line = try PseudoTerminal()
    try directory.link("gpsd", to: "/bin/sleep")
    let holder = try ChildProcess(directory / "gpsd", ["600"], environment: [:], output: line.path)
    _ = try until("the program to start") { holder.name == "gpsd" ? true : nil }
    let daemon = try DaemonUnderTest("serial:\(line.path)?speed=\(speed)", in: directory)
    let client = try daemon.watch()
    let state = try client.state("failed")
    #expect(state.message?.contains("gpsd (pid \(holder.pid))") == true, "\(state.message ?? "")")
    try client.send("?STATUS;")
    let status = try client.wait(for: "STATUS") { if case .status(let status) = $0.report { status } else { nil } }
    #expect(status.sources.map(\.bitRate) == [nil])
    #expect(status.sources.map(\.load) == [nil])
    #expect(try daemon.stop() == 0)
  }

  @Test func `A denied device is reported with its group`() throws {
    let line = try PseudoTerminal()
    if geteuid() != 0 { chmod(line.path, 0) }
    let daemon = try DaemonUnderTest("serial:\(line.path)", asNobody: true)
    let client = try daemon.watch()
    let state = try client.state("failed")
    #expect(state.error == .init("denied"))
    var status = stat()
    #expect(stat(line.path, &status) == 0)
    let group = String(cString: try #require(getgrgid(status.st_gid)).pointee.gr_name)
    #expect(state.message?.contains("group \(group)") == true)
    #expect(state.remedy?.contains("usermod -aG \(group == "root" ? "dialout" : group)") == true)
    try client.send("?LOCATE;")
    let error = try client.error()
    #expect(error.code == .init("denied"))
    #expect(error.remedy == state.remedy)
    #expect(try daemon.stop() == 0)
  }

  @Test func `A file that is not a serial line is reported, at once for a LOCATE`() throws {
    let directory = try ScratchDirectory()
    try directory.write("$GPRMC", to: "gps0")
    let daemon = try DaemonUnderTest("serial:\(directory / "gps0")", in: directory)
    let client = try daemon.watch()
    let state = try client.state("failed")
    #expect(state.error == .init("misconfigured"))
    #expect(state.message?.contains("not a serial line") == true)
    try client.send("?LOCATE;")
    #expect(try client.error().code == .init("misconfigured"))
    #expect(try daemon.stop() == 0)
  }

  @Test func `Bytes without sentences are reported after 2 s, until sentences arrive`() throws {
    let line = try PseudoTerminal()
    let daemon = try DaemonUnderTest("serial:\(line.path)")
    let client = try daemon.watch()
    _ = try client.state("acquiring")
    try line.write(String(repeating: "\u{1}~x{", count: 100))
    let state = try client.state("failed")
    #expect(state.error == .init("noNMEA"))
    #expect(state.message?.contains("400 bytes") == true, "\(state.message ?? "")")
    #expect(state.remedy?.isEmpty == false)
    try line.write("\r\n" + NMEAEpoch(number: 0, isValid: false).text)
    _ = try client.state("acquiring")
    try line.write(NMEAEpoch(number: 1).text)
    _ = try client.state("tracking")
    #expect(try daemon.stop() == 0)
  }
}

@Suite("Timeouts", .onOwnThread, .timeLimit(.minutes(5)))
struct TimingTests {
  @Test func `A LOCATE times out at its timeout, not before`() throws {
    let line = try PseudoTerminal()
    let daemon = try DaemonUnderTest("serial:\(line.path)")
    let client = try daemon.connect()
    let start = ContinuousClock.now
    try client.send(#"?LOCATE={"timeout":0.3};"#)
    #expect(try client.error().code == .init("timedOut"))
    #expect(start.duration(to: .now) >= .milliseconds(300))
    #expect(try daemon.stop() == 0)
  }

  @Test func `Heartbeat, close by silence and loss need no further bytes`() throws {
    let line = try PseudoTerminal()
    let daemon = try DaemonUnderTest("serial:\(line.path)")
    let client = try daemon.connect()
    try client.send(#"?WATCH={"json":true,"distanceFilter":1000,"heartbeat":0.2};"#)
    _ = try client.state("acquiring")
    let sent = (instant: ContinuousClock.now, watch: Stopwatch(daemon))
    // In one piece: behind a pause of this process the second fix would be one that is regained.
    try line.write(NMEAEpoch(number: 0).text + NMEAEpoch(number: 1, north: 1, speed: 1).text)
    #expect(try client.fix().reason == "first")
    #expect(try client.fix().reason == "heartbeat")
    _ = try client.state("lost")
    #expect(sent.instant.duration(to: .now) >= .seconds(3))
    #expect(sent.watch.elapsed < .seconds(4))
    #expect(try daemon.stop() == 0)
  }
}
