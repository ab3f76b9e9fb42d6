import LocationCore
import Testing

@testable import LocationDaemon

@Suite("The line for the service manager")
struct StatusLineTests {
  private func at(_ seconds: Double) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: Int64(seconds * 1e9))
  }

  @Test("it is told when it changes, and once a second at most")
  func pace() {
    var line = StatusLine()
    #expect(line.update("a", at: at(10)) == .tell("a"))
    #expect(line.update("a", at: at(10.2)) == .nothing)
    #expect(line.update("b", at: at(10.25)) == .wait(.milliseconds(750)))
    #expect(line.update("c", at: at(11)) == .tell("c"))
    #expect(line.update("c", at: at(500)) == .nothing)
    #expect(line.update("d", at: at(501)) == .tell("d"))
  }

  @Test("what went back within the second is not told")
  func flicker() {
    var line = StatusLine()
    #expect(line.update("3D", at: at(0)) == .tell("3D"))
    #expect(line.update("lost", at: at(0.1)) == .wait(.milliseconds(900)))
    #expect(line.update("3D", at: at(1)) == .nothing)
  }

  static let lines: [(SourceState, String)] = [
    (.idle, "serial (/dev/gps0) is idle"),
    (.opening, "serial (/dev/gps0) is opening"),
    (.acquiring, "no fix yet from serial (/dev/gps0)"),
    (.tracking(.threeD), "3D fix from serial (/dev/gps0)"),
    (.lost(since: .zero), "fix lost, serial (/dev/gps0) is waited for"),
    (
      .failed(.busy(device: "/dev/gps0", holder: "gpsd (pid 8)"), previous: .opening),
      "no fix: /dev/gps0 is held by gpsd (pid 8); sudo systemctl disable --now gpsd.socket gpsd.service"
    ),
  ]

  @Test("it names source, device and fix, or the error with its remedy", arguments: lines.indices)
  func text(index: Int) {
    let (state, start) = Self.lines[index]
    #expect(StatusLine.text(source: "serial", device: "/dev/gps0", state: state).hasPrefix(start))
  }

  @Test("each state of the leading source has its line")
  func ofPipeline() throws {
    let daemon = try VirtualDaemon()
    var lines: [String] = []
    daemon.host.onStateChange = { lines.append(daemon.host.statusLine) }
    daemon.open()
    daemon.ride(0...5)
    daemon.advance(10)
    #expect(
      lines == [
        "serial (/dev/gps0) is opening", "no fix yet from serial (/dev/gps0)", "3D fix from serial (/dev/gps0)",
        "fix lost, serial (/dev/gps0) is waited for",
      ])
  }
}
