import GPSDProtocol
import Glibc
import LocationClientTesting
import Testing

@Suite(.enabled(if: Tool.path != nil, "handlebarctl is not built beside the tests"), .timeLimit(.minutes(5)))
struct ExitCodeTests {
  private static let nowhere = "/tmp/no-such-directory/socket"

  @Test(
    arguments: [
      ["watch"], ["watch", "--json"], ["status"], ["locate"], ["follow"], ["view", "1", "2"],
      ["target", "home", "off"],
    ]
  )
  func `Without a daemon it exits with 3 and names the ways to one`(arguments: [String]) async throws {
    let outcome = try await Tool.run(["--socket", Self.nowhere] + arguments)
    #expect(outcome.code == 3)
    #expect(outcome.output.isEmpty)
    #expect(
      outcome.errors
        == "handlebarctl: no daemon at \(Self.nowhere) (No such file or directory); start it with: systemctl start handlebard; without a receiver: make run, or handlebarctl replay FILE\n"
    )
  }

  @Test(
    arguments: [
      ["watch", "--filter", "-1"], ["watch", "--filter", "nan"], ["watch", "--count", "0"],
      ["locate", "--timeout", "-1"],
      ["locate", "--timeout", "abc"], ["view", "91", "0"], ["view", "1"], ["view", "1", "2", "--cause", "drag"],
      ["view", "1", "2", "--view", ""], ["target", "home"], ["target", "home", "1", "2", "3"],
      ["target", "home", "1", "2", "--radius", "0"], ["follow", "maybe"], ["decode"],
      ["decode", "--sentences", "--filter", "1", "x"], ["fly"], ["watch", "--fast"], ["watch", "--units", "knots"],
    ]
  )
  func `A usage error exits with 64`(arguments: [String]) async throws {
    let outcome = try await Tool.run(arguments)
    #expect(outcome.code == 64, "\(outcome.errors)")
    #expect(outcome.output.isEmpty)
    #expect(!outcome.errors.isEmpty)
  }

  @Test(
    arguments: [
      (["wach"], "unknown command 'wach'. Did you mean 'watch'? See: handlebarctl --help"),
      (
        ["--socket", "/x", "stauts", "--json"],
        "unknown command 'stauts'. Did you mean 'status'? See: handlebarctl --help"
      ),
      (["Locate"], "unknown command 'Locate'. Did you mean 'locate'? See: handlebarctl --help"),
      (["rides", "lst"], "unknown command 'rides lst'. Did you mean 'rides list'? See: handlebarctl rides --help"),
      (["nonsense"], "unknown command 'nonsense'; see: handlebarctl --help"),
      (["help", "frobnicate"], "unknown command 'frobnicate'; see: handlebarctl --help"),
      (["help", "rids"], "unknown command 'rids'. Did you mean 'rides'? See: handlebarctl --help"),
      (
        ["export", "x.nmea", "--gxp"], "unknown option '--gxp'. Did you mean '--gpx'? See: handlebarctl export --help"
      ),
    ]
  )
  func `A mistyped command is answered with the nearest one`(arguments: [String], message: String) async throws {
    let outcome = try await Tool.run(arguments)
    #expect(outcome.code == 64)
    #expect(outcome.errors == "handlebarctl: \(message)\n")
  }

  @Test(arguments: [[], ["--json"]])
  func `A ride that cannot be read is an error`(options: [String]) async throws {
    var template = Array("/tmp/tool-XXXXXX".utf8CString)
    let directory = try #require(
      template.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } })
    let ride = directory + "/20260319T120000Z.nmea"
    defer {
      unlink(ride)
      rmdir(directory)
    }
    let file = try #require(fopen(ride, "w"))
    fputs("hello\n", file)
    fclose(file)
    let outcome = try await Tool.run(["rides", "--dir", directory] + options)
    #expect(outcome.code == EX_IOERR && outcome.output.isEmpty)
    #expect(outcome.errors.contains(ride) && !outcome.errors.contains("no rides"))
  }

  @Test func `The version is that of the release`() async throws {
    let outcome = try await Tool.run("--version")
    #expect(outcome.code == 0 && outcome.output == "\(VersionReport.currentRelease)\n")
  }

  @Test(arguments: ["watch", "status", "locate", "follow", "view", "target", "decode"])
  func `Every help has an example`(command: String) async throws {
    let outcome = try await Tool.run("help", command)
    #expect(outcome.code == 0)
    #expect(outcome.output.contains("Example: handlebarctl \(command)"))
  }

  @Test(arguments: [("timedOut", 4), ("denied", 5), ("disabled", 6), ("busy", 1)] as [(String, Int32)])
  func `locate exits with a code for each reason`(code: String, expected: Int32) async throws {
    let daemon = try FakeDaemon { request in
      guard case .engine(.locate) = request else { return [] }
      return [
        #"{"class":"ERROR","message":"cause","code":"\#(code)","remedy":"remedy","lat":1.5,"lon":2.5,"eph":4,"age":61.5}"#
      ]
    }
    try await daemon.start()
    let outcome = try await Tool.run("locate", "--socket", daemon.path)
    #expect(outcome.code == expected)
    #expect(outcome.output.isEmpty)
    #expect(
      outcome.errors.contains(
        code == "timedOut" ? "last known: 1.5000000, 2.5000000 ±4.0 m, 1 min 1 s ago" : "cause; remedy"))
    #expect(outcome.errors.split(separator: "\n").count == 1)
  }

  @Test func `status shows trips, the course and targets`() async throws {
    let daemon = try FakeDaemon { request in
      switch request {
      case .status: [#"{"class":"STATUS","release":"1","uptime":1,"state":"lost","clients":1,"sources":[]}"#]
      case .question(.trips):
        [
          #"{"class":"TRIP","name":"day","state":"paused","distance":1000,"duration":9,"movingTime":9,"#
            + #""lap":1,"lapDistance":1000,"lapMovingTime":9}"#
        ]
      case .question(.courses): [#"{"class":"COURSE","name":"tour","state":"before","remaining":1112}"#]
      case .question(.targets): [#"{"class":"ARRIVAL","name":"home","state":"away","distance":900,"repeated":true}"#]
      default: []
      }
    }
    try await daemon.start()
    let lines = try await Tool.run("--socket", daemon.path, "status").output.split(separator: "\n")
    let expected = [
      "trip           day is paused, 1.00 km in 0:00:09", "course         tour is not begun, 1.11 km to go",
      "target         home is away as before, 900 m",
    ]
    for line in expected { #expect(lines.contains { $0 == line }, "\(lines)") }
  }

  @Test(arguments: [("tracking", 3, 0), ("lost", nil, 1), ("acquiring", nil, 1)] as [(String, Int?, Int32)])
  func `status exits with 0 only with a fix`(state: String, mode: Int?, expected: Int32) async throws {
    let line =
      #"{"class":"STATUS","release":"1","uptime":3661,"state":"\#(state)"\#(mode.map { #","mode":\#($0)"# } ?? ""),"source":"main","seq":9,"age":0.25,"clients":1,"clientLimit":256,"counts":{"fixes":9},"sources":[]}"#
    let daemon = try FakeDaemon { $0 == .status ? [line] : [] }
    try await daemon.start()
    let plain = try await Tool.run("--socket", daemon.path, "status")
    #expect(plain.code == expected)
    #expect(
      plain.output.contains("last fix       #9, 0.2 s ago") || plain.output.contains("last fix       #9, 0.3 s ago"))
    #expect(plain.output.contains("clients        1 of 256"))
    #expect(plain.output.contains("up 1 h 1 min"))
    #expect(plain.errors.isEmpty)
    let json = try await Tool.run("--socket", daemon.path, "status", "--json")
    #expect(json.code == expected)
    #expect(json.output == line + "\n")
  }
}
