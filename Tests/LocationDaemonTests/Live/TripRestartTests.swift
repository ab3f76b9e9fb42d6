import GPSDProtocol
import Glibc
import LocationCore
import Recordings
import Testing

@Suite("Trips and kill -9", .onOwnThread, .timeLimit(.minutes(5)))
struct TripRestartTests {
  @Test func `After a kill a trip still has the figures of the ride`() throws {
    let line = try PseudoTerminal()
    let directory = try ScratchDirectory()
    let arguments = ["--record", directory / "rides", "--state", directory / "state"]
    var number = 0
    var trip: TripReport?
    func rideFigures() throws -> RideFigures? {
      let rides = try RideDirectory(existing: directory / "rides")
      return try rides.rides().first.map { try rides.summary(of: $0).figures }
    }
    for isLast in [false, true] {
      let daemon = try DaemonUnderTest("serial:\(line.path)", in: directory, arguments: arguments)
      let client = try daemon.watch()
      _ = try client.state("acquiring")
      try client.send(#"?TRIP={"name":"day"};"#)
      for _ in 0..<25 {
        try line.write(NMEAEpoch(number: number, period: 0.2, north: 4 * Double(number), speed: 20).text)
        _ = try client.fix()
        number += 1
      }
      try client.send("?TRIP;?LOCATE;")
      _ = try client.wait(for: "the answer") { line in
        if case .trip(let one) = line.report { trip = one }
        if case .tpv(let fix) = line.report { return fix.reason == "requested" ? fix : nil }
        return nil
      }
      // The recorder creates and names the ride and writes a fix after it was published.
      _ = try until("the last fix in the ride") { (try? rideFigures())?.fixes == number ? true : nil }
      #expect(try daemon.stop(isLast ? SIGTERM : SIGKILL) == (isLast ? 0 : 128 + SIGKILL))
    }
    #expect(try RideDirectory(existing: directory / "rides").rides().count == 1)
    let figures = try #require(try rideFigures())
    let shown = try #require(trip)
    #expect(figures.fixes == 50)
    func isSame(_ one: Double?, _ other: Double?) -> Bool { abs((one ?? -1) - (other ?? -1)) < 0.0006 }
    #expect(isSame(shown.distance, figures.distance), "\(shown.distance) of \(figures.distance) m")
    #expect(isSame(shown.duration.inSeconds, figures.duration))
    #expect(isSame(shown.movingTime.inSeconds, figures.movingTime))
    #expect(isSame(shown.maxSpeed, figures.maximumSpeed))
  }
}
