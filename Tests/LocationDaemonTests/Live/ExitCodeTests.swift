import Glibc
import Testing

@Suite("Exit codes", .onOwnThread, .timeLimit(.minutes(5)))
struct ExitCodeTests {
  private func run(
    _ sources: String..., arguments: [String] = [], environment: [String: String] = [:],
    in directory: ScratchDirectory? = nil
  ) throws -> (code: Int32, log: String) {
    let daemon = try DaemonUnderTest(
      in: directory, arguments: sources.flatMap { ["--source", $0] } + arguments, environment: environment)
    return (try daemon.process.waitForEnd(), daemon.log)
  }

  @Test(arguments: [["--nonsense"], ["--distance-filter", "ten"], ["stray"], ["--log-level", "loud"], ["--socket"]])
  func `An invalid command line exits with 64`(arguments: [String]) throws {
    let (code, log) = try run("serial:/nowhere/gps0", arguments: arguments)
    #expect(code == 64)
    #expect(log.split(separator: "\n").count == 1 && log.contains("ee: handlebard --help"), "\(log)")
  }

  @Test(
    arguments: [
      (["--source", "usb:1"], [:], "usb:1"), (["--source", "serial:gps0"], [:], "serial:gps0"),
      ([], ["HANDLEBAR_SOURCE": ""], "sources"),
      (["--source", "serial:/g", "--distance-filter=-1"], [:], "distance-filter"),
      (["--source", "serial:/g", "--distance-filter", "nan"], [:], "distance-filter"),
      (["--source", "serial:/g", "--drift-limit", "0"], [:], "drift-limit"),
      (["--source", "serial:/g"], ["HANDLEBAR_SOCKET_MODE": "999"], "HANDLEBAR_SOCKET_MODE"),
      (["--source", "serial:/g"], ["HANDLEBAR_MAX_CLIENTS": "0"], "HANDLEBAR_MAX_CLIENTS"),
      (["--source", "serial:/g"], ["HANDLEBAR_LOG_LEVEL": "loud"], "HANDLEBAR_LOG_LEVEL"),
      (["--source", "serial:/g", "--config", "/nowhere/handlebard.toml"], [:], "/nowhere/handlebard.toml"),
      (["--source", "serial:/g", "--source", "recording:x?speed=max"], [:], "sources"),
    ] as [([String], [String: String], String)]
  )
  func `An invalid configuration exits with 78 and names its location`(
    arguments: [String], environment: [String: String], key: String
  ) throws {
    let (code, log) = try run(arguments: arguments, environment: environment)
    #expect(code == 78)
    #expect(log.hasPrefix("handlebard: \(key): "), "\(log)")
    #expect(log.split(separator: "\n").count == 1)
  }

  @Test(arguments: ["is a file", "no directory", "no group"])
  func `Exit code 71 if the socket cannot be created`(case name: String) throws {
    let directory = try ScratchDirectory()
    var arguments: [String] = []
    var environment: [String: String] = [:]
    switch name {
    case "is a file": try directory.write("mine", to: "location.sock")
    case "no directory": arguments = ["--socket", directory / "missing/location.sock"]
    default: environment["HANDLEBAR_SOCKET_GROUP"] = "no-such-group"
    }
    let (code, log) = try run("serial:/g", arguments: arguments, environment: environment, in: directory)
    #expect(code == 71)
    #expect(log.split(separator: "\n").count == 1)
    #expect(log.contains("groupadd") == (name == "no group"))
    #expect(directory.read("location.sock") == (name == "is a file" ? "mine" : ""))
  }

  @Test func `Exit code 71 if the group is not permitted, without a stale socket`() throws {
    let group = String(cString: try #require(getgrgid(0)).pointee.gr_name)
    let daemon = try DaemonUnderTest(
      "serial:/g", environment: ["HANDLEBAR_SOCKET_GROUP": group], asNobody: true)
    #expect(try daemon.process.waitForEnd() == 71)
    #expect(daemon.log.contains("cannot set the group of"), "\(daemon.log)")
    #expect(access(daemon.socket, F_OK) != 0)
  }

  @Test func `An invalid file exits with 78 and names line, key and a remedy`() throws {
    let directory = try ScratchDirectory()
    try directory.write("# mine\ndistance-filter = 5\ndrift-limits = 3\n", to: "handlebard.toml")
    let path = directory / "handlebard.toml"
    for arguments in [["--config", path, "--check-config"], ["--config", path]] {
      let (code, log) = try run("serial:/g", arguments: arguments)
      #expect(code == 78)
      #expect(
        log == "handlebard: \(path):3: drift-limits: there is no such key; did you mean \"drift-limit\"?\n")
    }
  }

  @Test func `A check of a valid configuration exits with 0 and opens nothing`() throws {
    let directory = try ScratchDirectory()
    let (code, log) = try run("serial:/nowhere/gps0", arguments: ["--check-config"], in: directory)
    #expect(code == 0)
    #expect(log.isEmpty)
    #expect(access(directory / "location.sock", F_OK) != 0)
  }

  @Test func `Flags override the environment, which overrides the file`() throws {
    let directory = try ScratchDirectory()
    try directory.write(
      "sources = [\"serial:/nowhere/file\"]\ndistance-filter = 7\nmax-clients = 9", to: "handlebard.toml")
    let daemon = try DaemonUnderTest(
      in: directory, arguments: ["--distance-filter", "3"],
      environment: [
        "HANDLEBAR_SOURCES": "serial:/nowhere/variable", "HANDLEBAR_DISTANCE_FILTER": "4",
        "HANDLEBAR_CONFIG": directory / "handlebard.toml",
      ])
    let client = try daemon.connect()
    try client.send(#"?WATCH={"json":true};?STATUS;"#)
    #expect(try client.line("DEVICES").text.contains("/nowhere/variable"))
    #expect(try client.line("WATCH").text.contains(#""distanceFilter":3"#))
    #expect(try client.line("STATUS").text.contains(#""clientLimit":9"#))
  }

  @Test func `Flags override the environment`() throws {
    let daemon = try DaemonUnderTest(
      "serial:/nowhere/flag", arguments: ["--distance-filter", "3"],
      environment: ["HANDLEBAR_SOURCE": "serial:/nowhere/variable", "HANDLEBAR_DISTANCE_FILTER": "4"])
    let client = try daemon.connect()
    try client.send(#"?WATCH={"json":true};"#)
    #expect(try client.line("DEVICES").text.contains("/nowhere/flag"))
    #expect(try client.line("WATCH").text.contains(#""distanceFilter":3"#))
  }
}
