import Glibc
import LocationCore
import Testing

@testable import LocationDaemon

@Suite("Telling the service manager", .timeLimit(.minutes(5)))
struct ServiceManagerTests {
  @Test("what is told is what sd_notify(3) writes")
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
    "the watchdog is this process's, or nobody's",
    arguments: [
      ([:], nil), (["WATCHDOG_USEC": "10000000"], 10), (["WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "7"], 10),
      (["WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "8"], nil), (["WATCHDOG_USEC": "0"], nil),
      (["WATCHDOG_USEC": "-5"], nil), (["WATCHDOG_USEC": "soon"], nil), (["WATCHDOG_PID": "7"], nil),
    ] as [([String: String], Int64?)])
  func watchdog(environment: [String: String], seconds: Int64?) {
    #expect(ServiceManager.watchdogTimeout(in: environment, pid: 7) == seconds.map { .seconds($0) })
  }

  @Test("without a place to tell there is no manager", arguments: [nil, "", "relative", "vsock:2:1234", "/", "@"])
  func nobody(path: String?) {
    #expect(ServiceManager(environment: path.map { ["NOTIFY_SOCKET": $0] } ?? [:]) == nil)
  }

  @Test("each message is one datagram, by path and in the abstract namespace", arguments: [true, false])
  func datagrams(isAbstract: Bool) throws {
    let directory = try ScratchDirectory()
    let name = isAbstract ? "@handlebar-test-\(getpid())-\(UInt64.random(in: 0 ... .max))" : directory / "notify"
    let address = try #require(UnixAddress(name))
    let receiver = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(receiver) }
    #expect(address.withSocketAddress { bind(receiver, $0, $1) } == 0)
    let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": name]))
    manager.tell(.ready)
    manager.tell(.status("acquiring"))
    var bytes = [UInt8](repeating: 0, count: 256)
    for expected in ["READY=1", "STATUS=acquiring"] {
      let count = recv(receiver, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      #expect(String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self) == expected)
    }
  }

  @Test("a manager that is gone or takes nothing more holds nobody up")
  func deaf() throws {
    let directory = try ScratchDirectory()
    let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": directory / "absent"]))
    manager.tell(.ready)
    let address = try #require(UnixAddress(directory / "absent"))
    let receiver = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(receiver) }
    #expect(address.withSocketAddress { bind(receiver, $0, $1) } == 0)
    // Many times what a datagram socket holds.
    for _ in 0..<10_000 { manager.tell(.watchdog) }
    var byte: UInt8 = 0
    #expect(recv(receiver, &byte, 1, Int32(MSG_DONTWAIT)) == 1)
  }
}
