import Glibc
import Testing

@Suite("Replaying and recording", .onOwnThread, .timeLimit(.minutes(5)))
struct RecordingTests {
  @Test func `At full speed every fix and the end reach a client that waits for the start`() throws {
    let directory = try ScratchDirectory()
    let text = (0..<500).map { number in
      "# t=\(5000 + 1000 * number) src=0\n" + NMEAEpoch(number: number, north: 20 * Double(number), speed: 20).text
    }
    try directory.write("# handlebar-recording 1\n" + text.joined(), to: "ride.nmea")
    let daemon = try DaemonUnderTest("recording:\(directory / "ride.nmea")?speed=max", in: directory)
    let client = try daemon.connect()
    try client.send(#"?WATCH={"json":true,"distanceFilter":0};"#)
    for number in 1...500 { #expect(try client.fix().seq == UInt64(number)) }
    #expect(try client.line("PLAYBACK").text.contains(#""ended":true"#))
    #expect(try daemon.stop() == 0)
  }

  @Test(arguments: ["none.nmea", "directory"])
  func `A missing file is a configuration error`(name: String) throws {
    let directory = try ScratchDirectory()
    mkdir(directory / "directory", 0o700)
    defer { rmdir(directory / "directory") }
    let daemon = try DaemonUnderTest("recording:\(directory / name)", in: directory)
    let client = try daemon.watch()
    let state = try client.state("failed")
    #expect(state.error == .init("misconfigured"))
    #expect(state.message?.contains(directory / name) == true, "\(state.message ?? "")")
    try client.send("?LOCATE;")
    #expect(try client.error().code == .init("misconfigured"))
    #expect(try daemon.stop() == 0)
  }

  @Test func `The input of the receiver is in the file when the daemon has stopped`() throws {
    let line = try PseudoTerminal()
    let directory = try ScratchDirectory()
    let daemon = try DaemonUnderTest("serial:\(line.path)", in: directory, arguments: ["--record", directory.path])
    let client = try daemon.watch()
    _ = try client.state("acquiring")
    try client.send("?STATUS;")
    _ = try until("the recording's path") {
      try client.send("?STATUS;")
      return try client.wait(for: "STATUS") { if case .status(let status) = $0.report { status } else { nil } }
        .recording
    }
    let sent = NMEAEpoch(number: 0).text + "half a line"
    try line.write(sent)
    _ = try client.fix()
    try client.send(#"?FOLLOW={"view":"main","enable":false};"#)
    _ = try client.line("FOLLOW")
    #expect(try daemon.stop() == 0)
    // The ride is named by the time of its fix.
    let name = try #require(directory.names.first { $0.hasSuffix(".nmea") })
    #expect(name.hasPrefix("2026"))
    let text = directory.read(name)
    #expect(text.hasPrefix("# handlebar-recording 1\n"))
    for sentence in sent.split(separator: "\r\n") { #expect(text.contains(sentence)) }
    #expect(text.contains(##"# e {"request":"FOLLOW","view":"main","enable":false}"##))
  }

  @Test func `A write error stops the recording, not the fixes, and is reported`() throws {
    let line = try PseudoTerminal()
    let directory = try ScratchDirectory()
    try directory.write("in the way", to: "rides")
    let daemon = try DaemonUnderTest(
      "serial:\(line.path)", in: directory, arguments: ["--record", directory / "rides"])
    let client = try daemon.watch()
    _ = try client.state("acquiring")
    try line.write(NMEAEpoch(number: 0).text)
    #expect(try client.fix().seq == 1)
    let failure = try until("the failure") {
      try client.send("?STATUS;")
      return try client.wait(for: "STATUS") { if case .status(let status) = $0.report { status } else { nil } }
        .recordingError
    }
    #expect(failure.contains(directory / "rides"), "\(failure)")
    #expect(try daemon.stop() == 0)
    #expect(directory.read("rides") == "in the way")
  }
}
