import Glibc
import Libc
import Logging
import Testing

@testable import LocationCore
@testable import LocationDaemon

@Suite("Clock socket", .timeLimit(.minutes(5)))
struct ClockSocketTests {
  /// The fields of one datagram: seconds, microseconds, offset, pulse, leap, magic.
  private struct Datagram: Equatable {
    var seconds: Int64, microseconds: Int64
    var offset: Double
    var pulse: Int32, leap: Int32, magic: Int32

    init?(_ bytes: [UInt8]) {
      guard bytes.count == 40 else { return nil }
      let fields = bytes.withUnsafeBytes { bytes in
        (
          bytes.loadUnaligned(fromByteOffset: 0, as: Int64.self),
          bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self),
          bytes.loadUnaligned(fromByteOffset: 16, as: Double.self),
          bytes.loadUnaligned(fromByteOffset: 24, as: Int32.self),
          bytes.loadUnaligned(fromByteOffset: 28, as: Int32.self),
          bytes.loadUnaligned(fromByteOffset: 36, as: Int32.self)
        )
      }
      (seconds, microseconds, offset, pulse, leap, magic) = fields
    }
  }

  /// A bound datagram socket in place of chronyd's.
  private final class Chronyd {
    let descriptor: Int32

    init(_ path: String) throws {
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      let address = try #require(UnixAddress(path: path))
      #expect(address.withSocketAddress { bind(descriptor, $0, $1) } == 0)
    }

    deinit { close(descriptor) }

    /// The next datagram; `nil` if there is none.
    func take() -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: 256)
      let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      return count < 0 ? nil : Array(bytes.prefix(count))
    }
  }

  private let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  @Test func `A datagram holds the system's time, the offset to UTC, the leap second and the magic number`() throws {
    let system = UTCInstant(nanosecondsSince1970: 86_400_123_456_789)
    for (utc, leap) in [(1_773_923_700_000_000_000 as Int64, false), (86_399_000_000_000, true)] {
      let datagram = ClockDatagram(UTCInstant(nanosecondsSince1970: utc), at: system, isLeapSecond: leap)
      let found = try #require(Datagram(datagram.bytes))
      #expect((found.seconds, found.microseconds) == (86_400, 123_456))
      #expect(abs(found.offset - (Double(utc) * 1e-9 - 86_400.123456)) < 1e-6)
      #expect((found.pulse, found.leap, found.magic) == (0, leap ? 1 : 0, 0x534F_434B))
    }
  }

  @Test func `A missing, returning and full socket is not waited for, and later samples arrive`() throws {
    let directory = try ScratchDirectory()
    let socket = TimeObserver(directory / "sock", clock: EngineClock(), log: log)
    let sample = ClockSample(utc: WallClock.now, instant: .zero, isLeapSecond: false)
    socket.send(sample, age: .zero)
    for _ in 0..<2 {
      let chronyd = try Chronyd(directory / "sock")
      for _ in 0..<5000 { socket.send(sample, age: .milliseconds(250)) }
      var count = 0
      var newest: Datagram?
      while let bytes = chronyd.take() {
        newest = Datagram(bytes)
        count += 1
      }
      #expect((1..<5000).contains(count))
      // The system's clock was right at the sample, and it was read a quarter of a second later.
      #expect(try abs(#require(newest).offset - 0.25) < 30)
      socket.send(sample, age: .zero)
      #expect(chronyd.take() != nil)
      unlink(directory / "sock")
      socket.send(sample, age: .zero)
    }
  }

  @Test func `Each fix of the leading source is sent, and a reload ends that`() throws {
    let directory = try ScratchDirectory()
    let chronyd = try Chronyd(directory / "sock")
    let daemon = try VirtualDaemon { $0.chronySocketPath = directory / "sock" }
    daemon.open()
    daemon.ride(0...9)
    var count = 0
    while let bytes = chronyd.take() {
      #expect(Datagram(bytes) != nil)
      count += 1
    }
    #expect(count == 7)
    daemon.time.send(to: nil)
    daemon.ride(10...19)
    #expect(chronyd.take() == nil)
  }
}
