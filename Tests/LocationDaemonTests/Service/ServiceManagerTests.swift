import Glibc
import LocationCore
import Testing

@testable import LocationDaemon

@Suite("Service manager", .timeLimit(.minutes(5)))
struct ServiceManagerTests {
  @Test("Messages are those of sd_notify(3)")
  func text() {
    typealias Message = ServiceManager.Message
    #expect(Message.ready.text == "READY=1")
    #expect(Message.stopping.text == "STOPPING=1")
    #expect(Message.watchdog.text == "WATCHDOG=1")
    #expect(Message.status("3D fix\nREADY=1").text == "STATUS=3D fix READY=1")
    #expect(
      Message.reloading(MonotonicInstant(nanoseconds: 12_345_678_999)).text == "RELOADING=1\nMONOTONIC_USEC=12345678")
  }

  @Test(
    "The watchdog applies to this process only",
    arguments: [
      ([:], nil), (["WATCHDOG_USEC": "10000000"], 10), (["WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "7"], 10),
      (["WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "8"], nil), (["WATCHDOG_USEC": "0"], nil),
      (["WATCHDOG_USEC": "-5"], nil), (["WATCHDOG_USEC": "soon"], nil), (["WATCHDOG_PID": "7"], nil),
    ] as [([String: String], Int64?)])
  func watchdog(environment: [String: String], seconds: Int64?) {
    #expect(ServiceManager.watchdogTimeout(in: environment, pid: 7) == seconds.map { .seconds($0) })
  }

  @Test("Without a valid socket name there is no manager", arguments: [nil, "", "relative", "vsock:2:1234", "/", "@"])
  func noManager(path: String?) {
    #expect(ServiceManager(environment: path.map { ["NOTIFY_SOCKET": $0] } ?? [:]) == nil)
  }

  @Test("Each message is one datagram, by path or in the abstract namespace", arguments: [true, false])
  func datagrams(isAbstract: Bool) throws {
    let directory = try ScratchDirectory()
    let name = isAbstract ? "@handlebar-test-\(getpid())-\(UInt64.random(in: 0 ... .max))" : directory / "notify"
    let address = try #require(UnixAddress(name))
    let receiver = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(receiver) }
    #expect(address.withSocketAddress { bind(receiver, $0, $1) } == 0)
    let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": name]))
    manager.send(.ready)
    manager.send(.status("acquiring"))
    var bytes = [UInt8](repeating: 0, count: 256)
    for expected in ["READY=1", "STATUS=acquiring"] {
      let count = recv(receiver, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      #expect(String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self) == expected)
    }
  }

  @Test("An absent or slow manager does not block")
  func slowManager() throws {
    let directory = try ScratchDirectory()
    let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": directory / "absent"]))
    manager.send(.ready)
    let address = try #require(UnixAddress(directory / "absent"))
    let receiver = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(receiver) }
    #expect(address.withSocketAddress { bind(receiver, $0, $1) } == 0)
    // More than a datagram socket holds.
    for _ in 0..<10_000 { manager.send(.watchdog) }
    var byte: UInt8 = 0
    #expect(recv(receiver, &byte, 1, Int32(MSG_DONTWAIT)) == 1)
  }
}

@Suite("Status line")
struct StatusLineTests {
  private func at(_ seconds: Double) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: Int64(seconds * 1e9))
  }

  @Test("A status is sent when it changes, at most once per second")
  func pace() {
    var line = StatusLine()
    #expect(line.update("a", at: at(10)) == .send("a"))
    #expect(line.update("a", at: at(10.2)) == .nothing)
    #expect(line.update("b", at: at(10.25)) == .wait(.milliseconds(750)))
    #expect(line.update("c", at: at(11)) == .send("c"))
    #expect(line.update("c", at: at(500)) == .nothing)
    #expect(line.update("d", at: at(501)) == .send("d"))
  }

  @Test("A change that is reverted within a second is not sent")
  func flicker() {
    var line = StatusLine()
    #expect(line.update("3D", at: at(0)) == .send("3D"))
    #expect(line.update("lost", at: at(0.1)) == .wait(.milliseconds(900)))
    #expect(line.update("3D", at: at(1)) == .nothing)
  }

  static let lines: [(SourceState, String)] = [
    (.idle, "serial (/dev/gps0) is idle"),
    (.opening, "serial (/dev/gps0) is opening"),
    (.acquiring, "no fix yet from serial (/dev/gps0)"),
    (.tracking(.threeD), "3D fix from serial (/dev/gps0)"),
    (.lost(since: .zero), "fix lost, waiting for serial (/dev/gps0)"),
    (
      .failed(.busy(device: "/dev/gps0", holder: "gpsd (pid 8)"), previous: .opening),
      "no fix: /dev/gps0 is held by gpsd (pid 8); sudo systemctl disable --now gpsd.socket gpsd.service"
    ),
  ]

  @Test("The status names source, device and fix, or the error with its remedy", arguments: lines.indices)
  func text(index: Int) {
    let (state, start) = Self.lines[index]
    #expect(StatusLine.text(source: "serial", device: "/dev/gps0", state: state).hasPrefix(start))
  }

  @Test("Each state of the leading source has a status")
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
        "fix lost, waiting for serial (/dev/gps0)",
      ])
  }
}
