import Synchronization

/// Signals as bytes on a pipe: a handler may do little more than write.
package enum SignalPipe {
  private static let writeEnd = Atomic<CInt>(-1)

  /// Catches signals, each as a byte at the returned descriptor, which does not block. `nil`, with `errno`, without it.
  package static func open(_ signals: [CInt]) -> CInt? {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    writeEnd.store(ends[1], ordering: .releasing)
    for number in signals {
      // With SA_RESTART (signal(7)).
      signal(number) { number in
        let saved = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(SignalPipe.writeEnd.load(ordering: .acquiring), &byte, 1)
        errno = saved
      }
    }
    return ends[0]
  }
}
