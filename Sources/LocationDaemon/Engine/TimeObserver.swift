import Libc
import LocationCore
import Logging
import SystemPackage

/// Sends the time of fixes to chronyd, if its socket is configured, for its SOCK reference clock (chrony.conf(5),
/// refclock). chronyd creates the socket. A datagram that finds none, or a full one, is dropped; the next tries again.
package final class TimeObserver: EngineObserver {
  private let clock: EngineClock
  private let log: Logger
  private var path = ""
  private var sender: DatagramSender?
  /// The error of the last datagram, `nil` if it was sent; the outer `nil` before the first one.
  private var last: Errno??

  init(_ path: String?, clock: EngineClock, log: Logger) {
    self.clock = clock
    self.log = log
    send(to: path)
  }

  deinit { sender?.close() }

  /// Sends to chronyd's socket at `path` from now on; `nil` ends that.
  func send(to path: String?) {
    if sender != nil, path == self.path { return }
    sender?.close()
    (sender, last) = (nil, nil)
    guard let path else { return }
    self.path = path
    sender = UnixAddress(path: path).flatMap { DatagramSender(to: $0) }
    if sender == nil { log.warning("cannot create a socket for the time", metadata: ["SOCKET": "\(path)"]) }
  }

  package var wishes: EngineWishes { sender == nil ? [] : .clock }

  package func observe(_ event: EngineEvent, at instant: MonotonicInstant, in engine: borrowing LocationEngine) {
    if sender != nil, case .clock(let sample) = event { send(sample, age: clock.now - sample.instant) }
  }

  /// Sends a sample whose instant was `age` ago.
  func send(_ sample: ClockSample, age: Duration) {
    let datagram = ClockDatagram(sample.utc, at: WallClock.now - age, isLeapSecond: sample.isLeapSecond)
    do throws(Errno) {
      try sender?.send(datagram.bytes)
      report(nil)
    } catch {
      report(error)
    }
  }

  /// Logs the first result and each change. A full socket is a chronyd that is busy.
  private func report(_ error: Errno?) {
    guard error != .wouldBlock, last != .some(error) else { return }
    last = .some(error)
    switch error {
    case nil: log.notice("chronyd receives the time", metadata: ["SOCKET": "\(path)"])
    case .noSuchFileOrDirectory, .connectionRefused:
      log.notice("chronyd does not listen; the time is sent when it does", metadata: ["SOCKET": "\(path)"])
    case .some(let error):
      log.warning("cannot send the time to chronyd: \(error)", metadata: ["SOCKET": "\(path)", "REASON": "clock"])
    }
  }
}

/// chrony's `struct sock_sample` in the byte order and the `time_t` of this machine: 40 bytes with 64-bit time.
struct ClockDatagram {
  /// The system's time at the instant of the sample.
  private var seconds: time_t
  private var microseconds: suseconds_t
  /// UTC less the system's time, seconds.
  private var offset: Double
  private var pulse: Int32 = 0
  /// 0, or 1 within an inserted leap second.
  private var leap: Int32
  private var padding: Int32 = 0
  private var magic: Int32 = 0x534F_434B

  /// The datagram for an instant at which UTC was `utc` and the system's clock showed `system`.
  init(_ utc: UTCInstant, at system: UTCInstant, isLeapSecond: Bool) {
    // The remainder below a microsecond, which the time stamp cannot hold, stays in the offset.
    let count = max(system.nanosecondsSince1970, 0) / 1000
    seconds = time_t(count / 1_000_000)
    microseconds = suseconds_t(count % 1_000_000)
    offset = (utc - UTCInstant(nanosecondsSince1970: count * 1000)).inSeconds
    leap = isLeapSecond ? 1 : 0
  }

  var bytes: [UInt8] { withUnsafeBytes(of: self) { Array($0) } }
}
