import Glibc

/// A virtual serial port: bytes written here are read from `path` as from a receiver.
final class PseudoTerminal {
  /// The path that a daemon opens.
  let path: String
  private var master: Int32

  init() throws {
    // Like posix_openpt(3), unlockpt(3) and ptsname(3), which Swift's Glibc module lacks.
    let (unlock, number) = (UInt(0x4004_5431), UInt(0x8004_5430))
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    var isLocked: Int32 = 0
    var slave: Int32 = 0
    guard master >= 0, ioctl(master, unlock, &isLocked) == 0, ioctl(master, number, &slave) == 0 else {
      throw SystemFailure("open a pseudo-terminal")
    }
    path = "/dev/pts/\(slave)"
    // By default a terminal echoes and waits for whole lines.
    var settings = termios()
    tcgetattr(master, &settings)
    cfmakeraw(&settings)
    tcsetattr(master, TCSANOW, &settings)
  }

  deinit { unplug() }

  /// Closes the port, as an unplugged device does.
  func unplug() {
    if master >= 0 { close(master) }
    master = -1
  }

  /// Sends bytes as a receiver does.
  func write(_ text: String) throws {
    let deadline = Deadline()
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      guard deadline.wait(for: master, POLLOUT) else {
        throw Deadline.Late(description: "no process reads the serial port")
      }
      let count = rest.withUnsafeBytes { Glibc.write(master, $0.baseAddress, $0.count) }
      if count > 0 { rest = rest.dropFirst(count) }
    }
  }
}
