import CBench
import Glibc

/// One connected subscriber. It reads whole lines and knows which epoch each fix belongs to.
final class Client {
  /// A fix that came.
  struct Arrival {
    /// The ride's epoch.
    var epoch: Int
    /// When its line could be read, monotonic nanoseconds.
    var at: Int64
  }

  let descriptor: Int32
  /// Lines with a position.
  private(set) var fixes = 0
  /// The newest of them.
  private(set) var newest: Arrival?
  /// Whether the other end has closed.
  private(set) var hasEnded = false
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

  /// Asks for something.
  func send(_ text: String) throws {
    let bytes = Array(text.utf8)
    guard write(descriptor, bytes, bytes.count) == bytes.count else { throw Failure("write to the daemon") }
  }

  /// Takes in what can be read, once, and tells each fix.
  func read(_ body: (Arrival) -> Void) throws {
    let count = Glibc.read(descriptor, buffer + held, Self.room - held)
    let now = Clock.now
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    guard count > 0 else {
      hasEnded = true
      throw Failure("the daemon closed a connection")
    }
    held += count
    var start = 0
    while let end = memchr(buffer + start, 0x0A, held - start).map({ UnsafeRawPointer($0) - UnsafeRawPointer(buffer) })
    {
      if let epoch = Self.epoch(ofLine: UnsafeRawBufferPointer(start: buffer + start, count: end - start)) {
        fixes += 1
        let arrival = Arrival(epoch: epoch, at: now)
        newest = arrival
        body(arrival)
      }
      start = end + 1
    }
    guard start > 0 || held < Self.room else { throw Failure("a line is longer than \(Self.room) bytes") }
    memmove(buffer, buffer + start, held - start)
    held -= start
  }

  /// The epoch of a `TPV` line with a position; `nil` for all others.
  private static func epoch(ofLine line: UnsafeRawBufferPointer) -> Int? {
    guard let start = line.baseAddress, line.count > 60, memcmp(start, "{\"class\":\"TPV\"", 14) == 0,
      text_find(start, line.count, "\"lat\":") != nil,
      let mark = text_find(start, line.count - 34, "\"time\":\"")
    else { return nil }
    // 2026-03-19T08:00:00.000Z
    let text = UnsafeRawPointer(mark) + 8
    func number(_ offset: Int, _ width: Int) -> Int {
      (offset..<offset + width).reduce(0) { $0 * 10 + Int(text.load(fromByteOffset: $1, as: UInt8.self)) - 48 }
    }
    let time = ((number(11, 2) * 60 + number(14, 2)) * 60 + number(17, 2)) * 1000 + number(20, 3)
    return (time - RideText.begin) * RideText.rate / 1000
  }
}
