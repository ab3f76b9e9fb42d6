import CBench
import Glibc

/// A connected subscriber that assigns each fix to its epoch.
final class Client {
  /// A received fix.
  struct Arrival {
    /// The epoch's time of day, milliseconds.
    var time: Int
    /// The instant of its reception, monotonic nanoseconds.
    var at: Int64

    /// The epoch of `RideText`.
    var epoch: Int { (time - RideText.begin) * RideText.rate / 1000 }
  }

  let descriptor: Int32
  /// Number of lines with a position.
  private(set) var fixes = 0
  /// The newest fix.
  private(set) var newest: Arrival?
  /// The instant of the first report that the fix is lost, monotonic nanoseconds.
  private(set) var lost: Int64?
  private static let room = 65_536
  private let buffer = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 16)
  private var held = 0

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
    buffer.deallocate()
  }

  /// Sends a request.
  func send(_ text: String) throws {
    let bytes = Array(text.utf8)
    guard write(descriptor, bytes, bytes.count) == bytes.count else { throw Failure("write to the daemon") }
  }

  /// Reads once and calls `body` with each fix.
  func read(_ body: (Arrival) -> Void) throws {
    let count = Glibc.read(descriptor, buffer + held, Self.room - held)
    let now = Clock.now
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    guard count > 0 else {
      throw Failure("the daemon closed a connection")
    }
    held += count
    var start = 0
    while let end = memchr(buffer + start, 0x0A, held - start).map({ UnsafeRawPointer($0) - UnsafeRawPointer(buffer) })
    {
      let line = UnsafeRawBufferPointer(start: buffer + start, count: end - start)
      if let time = Self.time(ofLine: line) {
        fixes += 1
        let arrival = Arrival(time: time, at: now)
        newest = arrival
        body(arrival)
      } else if lost == nil, Self.reportsLoss(line) {
        lost = now
      }
      start = end + 1
    }
    guard start > 0 || held < Self.room else { throw Failure("a line is longer than \(Self.room) bytes") }
    memmove(buffer, buffer + start, held - start)
    held -= start
  }

  private static func reportsLoss(_ line: UnsafeRawBufferPointer) -> Bool {
    guard let start = line.baseAddress, line.count > 16, memcmp(start, "{\"class\":\"STATE\"", 16) == 0 else {
      return false
    }
    return text_find(start, line.count, "\"state\":\"lost\"") != nil
  }

  /// The time of day of a `TPV` line with a position, milliseconds; `nil` for all other lines.
  private static func time(ofLine line: UnsafeRawBufferPointer) -> Int? {
    guard let start = line.baseAddress, line.count > 60, memcmp(start, "{\"class\":\"TPV\"", 14) == 0,
      text_find(start, line.count, "\"lat\":") != nil,
      let mark = text_find(start, line.count - 34, "\"time\":\"")
    else { return nil }
    // 2026-03-19T08:00:00.000Z
    let text = UnsafeRawPointer(mark) + 8
    func number(_ offset: Int, _ width: Int) -> Int {
      (offset..<offset + width).reduce(0) { $0 * 10 + Int(text.load(fromByteOffset: $1, as: UInt8.self)) - 48 }
    }
    return ((number(11, 2) * 60 + number(14, 2)) * 60 + number(17, 2)) * 1000 + number(20, 3)
  }
}
