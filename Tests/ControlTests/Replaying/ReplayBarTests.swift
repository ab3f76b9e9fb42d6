import GPSDProtocol
import Testing

@testable import Control

struct ReplayBarTests {
  private func bar(
    _ position: Double, of duration: Double? = 3600, speed: Double? = 10, isPaused: Bool = false, isEnded: Bool = false
  ) -> ReplayBar {
    var bar = ReplayBar()
    bar.show(
      PlaybackReport(
        position: .seconds(position), duration: duration.map { .seconds($0) }, speed: speed, isPaused: isPaused,
        isEnded: isEnded),
      at: 100)
    return bar
  }

  @Test func `The place is extrapolated at the speed, up to the end`() {
    #expect(bar(60).place(at: 102.5) == 85)
    #expect(bar(60, isPaused: true).place(at: 102.5) == 60)
    #expect(bar(60, speed: nil).place(at: 102.5) == 60)
    #expect(bar(3590).place(at: 105) == 3600)
    #expect(bar(60).place(at: 99) == 60)
    #expect(ReplayBar().place(at: 5) == 0)
  }

  @Test func `The line contains state, place, duration and speed, within the terminal`() {
    #expect(bar(60).line(at: 102, width: 79) == "playing 01:20 / 1:00:00 [                                      ] 10x")
    #expect(bar(1800, isPaused: true).line(at: 0, width: 50) == "paused  30:00 / 1:00:00 [=========         ] 10x")
    #expect(bar(5, of: nil, speed: 0.5).line(at: 100, width: 79) == "playing 00:05  0.5x")
    #expect(
      bar(3600, speed: nil, isEnded: true).line(at: 100, width: 79).hasPrefix("ended   1:00:00 / 1:00:00 [======"))
    for width in 0..<120 { #expect(bar(60).line(at: 102, width: width).count <= width) }
  }

  @Test(
    arguments: [
      (0.1, 0.2, nil), (1, 2, 0.5), (3, 5, 2), (1000, nil, 500), (nil, nil, 1000),
    ] as [(Double?, Double?, Double?)])
  func `Speeds go up and down in steps`(speed: Double?, up: Double?, down: Double?) {
    #expect(bar(0, speed: speed).speed(faster: true) == up.map { .times($0) })
    #expect(bar(0, speed: speed).speed(faster: false) == down.map { .times($0) })
  }
}

struct TerminalKeyTests {
  @Test func `Keys are decoded from bytes in any pieces`() {
    let bytes = Array(" \u{1B}[C\u{1B}[D\u{1B}OC+=-\u{1B}[1;5Cx\u{1B}[A\u{1B}\u{1B}[Dq".utf8)
    let keys: [TerminalKey] = [.space, .right, .left, .right, .plus, .plus, .minus, .right, .left, .quit]
    var reader = TerminalKeyReader()
    #expect(reader.decode(bytes) == keys)
    reader = TerminalKeyReader()
    #expect(bytes.flatMap { reader.decode([$0]) } == keys)
  }
}

struct ReplayURITests {
  @Test func `Reserved characters are percent-encoded`() {
    #expect(
      ReplayURI.text(files: ["a b.nmea", "/x,y?z=1&2%#é"], speed: "2.5", loops: true)
        == "recording:a%20b.nmea?speed=2.5&start=watch&loop=true&then=/x%2Cy%3Fz%3D1%262%25%23%C3%A9")
  }
}
