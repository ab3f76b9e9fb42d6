import Glibc
import Libc
import LocationCore
import Testing

@testable import LocationDaemon

@Suite("Service manager", .timeLimit(.minutes(5)))
struct ServiceManagerTests {
  @Test func `Messages are those of sd_notify(3)`() {
    typealias Message = ServiceManager.Message
    #expect(Message.ready.text == "READY=1")
    #expect(Message.stopping.text == "STOPPING=1")
    #expect(Message.watchdog.text == "WATCHDOG=1")
    #expect(Message.status("3D fix\nREADY=1").text == "STATUS=3D fix READY=1")
    #expect(
      Message.reloading(MonotonicInstant(nanoseconds: 12_345_678_999)).text == "RELOADING=1\nMONOTONIC_USEC=12345678")
  }

  @Test(
    arguments: [
      ([:], nil), (["WATCHDOG_USEC": "10000000"], 10), (["WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "7"], 10),
      (["WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "8"], nil), (["WATCHDOG_USEC": "0"], nil),
      (["WATCHDOG_USEC": "-5"], nil), (["WATCHDOG_USEC": "soon"], nil), (["WATCHDOG_PID": "7"], nil),
    ] as [([String: String], Int64?)]
  )
  func `The watchdog applies to this process only`(environment: [String: String], seconds: Int64?) {
    #expect(ServiceManager.watchdogTimeout(in: environment, pid: 7) == seconds.map { .seconds($0) })
  }

  @Test(arguments: [nil, "", "relative", "vsock:2:1234", "/", "@"])
  func `Without a valid socket name there is no manager`(path: String?) {
    #expect(ServiceManager(environment: path.map { ["NOTIFY_SOCKET": $0] } ?? [:]) == nil)
  }

  @Test(arguments: [true, false])
  func `Each message is one datagram, by path or in the abstract namespace`(isAbstract: Bool) throws {
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

  @Test func `An absent or slow manager does not block`() throws {
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

  @Test func `A status is sent when it changes, at most once per second`() {
    var line = StatusLine()
    #expect(line.update("a", at: at(10)) == .zero)
    #expect(line.update("a", at: at(10.2)) == nil)
    #expect(line.update("b", at: at(10.25)) == .milliseconds(750))
    #expect(line.update("c", at: at(11)) == .zero)
    #expect(line.update("c", at: at(500)) == nil)
    #expect(line.update("d", at: at(501)) == .zero)
  }

  @Test func `A change that is reverted within a second is not sent`() {
    var line = StatusLine()
    #expect(line.update("3D", at: at(0)) == .zero)
    #expect(line.update("lost", at: at(0.1)) == .milliseconds(900))
    #expect(line.update("3D", at: at(1)) == nil)
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

  @Test(arguments: lines.indices)
  func `The status names source, device and fix, or the error with its remedy`(index: Int) {
    let (state, start) = Self.lines[index]
    #expect(StatusLine.text(source: "serial", device: "/dev/gps0", state: state).hasPrefix(start))
  }

  @Test func `Each state of the leading source has a status`() throws {
    let daemon = try VirtualDaemon()
    let status = StatusObserver(daemon.sources)
    daemon.engineLoop.observers.append(status)
    daemon.open()
    daemon.ride(0...5)
    daemon.advance(10)
    #expect(
      status.lines == [
        "serial (/dev/gps0) is opening", "no fix yet from serial (/dev/gps0)", "3D fix from serial (/dev/gps0)",
        "fix lost, waiting for serial (/dev/gps0)",
      ])
  }
}

/// Takes the status line of each state of the leading source.
private final class StatusObserver: EngineObserver {
  private let sources: SourceList
  private(set) var lines: [String] = []

  init(_ sources: SourceList) { self.sources = sources }

  func observe(_ event: EngineEvent, at instant: MonotonicInstant, in engine: borrowing LocationEngine) {
    if case .lead = event { lines.append(sources.statusLine(engine)) }
  }
}
