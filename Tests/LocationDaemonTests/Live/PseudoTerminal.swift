import Glibc

/// A serial port that is not there: what is written here comes out of `path` as from a receiver.
final class PseudoTerminal {
  /// What a daemon opens.
  let path: String
  private var master: Int32

  init() throws {
    // As posix_openpt(3), unlockpt(3) and ptsname(3) do, which glibc hides from Swift.
    let (unlock, number) = (UInt(0x4004_5431), UInt(0x8004_5430))
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    var isLocked: Int32 = 0
    var slave: Int32 = 0
    guard master >= 0, ioctl(master, unlock, &isLocked) == 0, ioctl(master, number, &slave) == 0 else {
      throw SystemFailure("open a pseudo-terminal")
    }
    path = "/dev/pts/\(slave)"
    // A terminal echoes and waits for whole lines until it is told not to.
    var settings = termios()
    tcgetattr(master, &settings)
    cfmakeraw(&settings)
    tcsetattr(master, TCSANOW, &settings)
  }

  deinit { unplug() }

  /// Hangs up.
  func unplug() {
    if master >= 0 { close(master) }
    master = -1
  }

  /// Sends bytes as the receiver would.
  func write(_ text: String) throws {
    let deadline = Deadline()
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      guard deadline.wait(for: master, POLLOUT) else {
        throw Deadline.Late(description: "nobody reads the serial port")
      }
      let count = rest.withUnsafeBytes { Glibc.write(master, $0.baseAddress, $0.count) }
      if count > 0 { rest = rest.dropFirst(count) }
    }
  }
}
