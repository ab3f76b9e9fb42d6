import Glibc
import Synchronization

/// Signals as bytes on a pipe: a handler may do little more than write.
enum SignalInbox {
  private static let writeEnd = Atomic<Int32>(-1)

  /// Catches these signals from now on; each is a byte at the returned descriptor. `nil` when no pipe can be had.
  static func open(_ signals: [Int32]) -> Int32? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    writeEnd.store(ends[1], ordering: .releasing)
    for number in signals {
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { number in
        let saved = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(SignalInbox.writeEnd.load(ordering: .acquiring), &byte, 1)
        errno = saved
      }
      action.sa_flags = Int32(SA_RESTART)
      sigaction(number, &action, nil)
    }
    return ends[0]
  }
}
