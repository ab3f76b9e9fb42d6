import CBench
import Glibc

/// Descriptors to wait for, each with a number of its own.
final class Poller {
  private let descriptor: Int32
  private var tags = [UInt32](repeating: 0, count: 512)

  init() throws {
    descriptor = poller_create()
    guard descriptor >= 0 else { throw Failure("epoll_create1", code: -descriptor) }
  }

  deinit { close(descriptor) }

  /// Waits for this descriptor too, from now until it is closed.
  func add(_ descriptor: Int32, tag: Int) throws {
    let result = poller_add(self.descriptor, descriptor, UInt32(tag))
    guard result >= 0 else { throw Failure("epoll_ctl", code: -result) }
  }

  /// Waits until something can be read or `deadline` has passed, and tells the numbers of what can.
  func wait(until deadline: Int64, _ body: (Int) throws -> Void) throws {
    let count = poller_wait(descriptor, &tags, Int32(tags.count), deadline == .max ? .max : deadline - Clock.now)
    guard count >= 0 else { throw Failure("epoll_pwait2", code: -count) }
    for index in 0..<Int(count) { try body(Int(tags[index])) }
  }
}
