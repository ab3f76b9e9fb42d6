import GPSDProtocol
import LocationClientTesting
import Testing

@Suite(.enabled(if: Tool.path != nil, "handlebarctl is not built beside the tests"), .timeLimit(.minutes(5)))
struct WatchTests {
  private static let watching = #"{"class":"WATCH","enable":true,"json":true}"#
  private static let state = #"{"class":"STATE","state":"tracking","mode":3,"source":"main"}"#
  private static let noFix = #"{"class":"TPV","device":"x","mode":1,"status":0}"#

  private static func position(_ seq: Int) -> String {
    #"{"class":"TPV","mode":3,"status":1,"time":"2026-03-19T12:35:19.500Z","lat":-33.85,"lon":151.2,"altMSL":545.4,"eph":4.25,"track":84.4,"speed":11.524,"seq":\#(seq),"reason":"moved","source":"main"}"#
  }

  @Test func `--json prints the daemon's lines as they are`() async throws {
    let lines = [Self.watching, Self.state, Self.noFix] + (1...500).map(Self.position)
    let daemon = try FakeDaemon { if case .watch = $0 { lines } else { [] } }
    try await daemon.start()
    let outcome = try await Tool.run("watch", "--json", "--count", "500", "--filter", "0", "--socket", daemon.path)
    #expect(outcome.code == 0)
    #expect(outcome.output == ([FakeDaemon.version] + lines).map { $0 + "\n" }.joined())
    #expect(outcome.errors.isEmpty)
    guard case .watch(let watch?)? = daemon.received.withLock({ $0.first }) else {
      Issue.record("no WATCH")
      return
    }
    #expect(watch.distanceFilter == 0)
    #expect(watch.handlebar == true)
  }

  @Test func `Without a terminal a header and a row of 80 columns per position`() async throws {
    let daemon = try FakeDaemon {
      guard case .watch = $0 else { return [] }
      return [
        Self.watching, Self.state, #"{"class":"SKY","satellites":[{"PRN":1,"used":true},{"PRN":2,"used":false}]}"#,
        #"{"class":"FOLLOW","view":"main","following":false,"reason":"drift","distance":120.04,"seq":3}"#,
        Self.position(7),
      ]
    }
    try await daemon.start()
    let outcome = try await Tool.run("--socket", daemon.path, "watch", "--count", "1")
    #expect(outcome.code == 0)
    #expect(
      outcome.output.split(separator: "\n") == [
        "UTC          LATITUDE   LONGITUDE  KM/H    HDG   ALT M    ±M FIX  SATS WHY",
        "main is tracking 3D", "view main is not following (drift, 120.0 m away from fix #3)",
        "12:35:19.5 -33.850000  151.200000  41.5   84.4   545.4   4.3  3D   1/2 moved",
      ])
    let imperial = try await Tool.run("--socket", daemon.path, "watch", "--count", "1", "--units", "imperial")
    #expect(
      imperial.output.split(separator: "\n").last
        == "12:35:19.5 -33.850000  151.200000  25.8   84.4  1789.4  13.9  3D   1/2 moved")
  }

  @Test func `A closed pipe ends it quietly`() async throws {
    let daemon = try FakeDaemon {
      if case .watch = $0 { [Self.watching] + (1...100).map(Self.position) } else { [] }
    }
    try await daemon.start()
    for mode in [["watch"], ["watch", "--json"]] {
      let outcome = try await Tool.run(mode + ["--socket", daemon.path], closesOutput: true)
      #expect(outcome.code == 0)
      #expect(outcome.errors.isEmpty)
    }
  }
}
