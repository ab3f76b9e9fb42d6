import Glibc

/// A serial line opened for reading a receiver: raw, 8N1, held exclusively. Nothing is ever written to it.
struct SerialLine {
  /// The open descriptor; whoever has the line closes it.
  let descriptor: Int32
  /// Whether the line has a speed to set; USB CDC-ACM receivers and pseudo-terminals take any.
  let needsSpeed: Bool

  /// The speeds that can be set, bits per second, with their termios codes.
  static let speeds: [Int: speed_t] = [
    4800: speed_t(B4800), 9600: speed_t(B9600), 19_200: speed_t(B19200), 38_400: speed_t(B38400),
    57_600: speed_t(B57600), 115_200: speed_t(B115200), 230_400: speed_t(B230400),
    460_800: speed_t(B460800), 921_600: speed_t(B921600),
  ]

  /// Opens, locks and prepares the line at `path`.
  init(path: String, speed: Int) throws(SerialFailure) {
    // O_NONBLOCK: opening must not wait for a carrier. O_RDONLY: nothing is ever written.
    let descriptor = open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw SerialFailure(operation: .open, code: errno) }
    do throws(SerialFailure) {
      try Self.prepare(descriptor, speed: speed)
    } catch {
      Glibc.close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    needsSpeed = Self.isSpeedBound(path)
  }

  /// Gives the line back.
  func close() {
    Glibc.close(descriptor)
  }

  /// Changes the speed of an open line.
  static func setSpeed(_ speed: Int, of descriptor: Int32) throws(SerialFailure) {
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0 else { throw SerialFailure(operation: .configure, code: errno) }
    guard let code = speeds[speed], cfsetispeed(&settings, code) == 0, cfsetospeed(&settings, code) == 0 else {
      throw SerialFailure(operation: .configure, code: EINVAL)
    }
    guard tcsetattr(descriptor, TCSANOW, &settings) == 0 else {
      throw SerialFailure(operation: .configure, code: errno)
    }
  }

  private static func prepare(_ descriptor: Int32, speed: Int) throws(SerialFailure) {
    guard isatty(descriptor) == 1 else { throw SerialFailure(operation: .open, code: ENOTTY) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw SerialFailure(operation: .lock, code: EBUSY) }
    guard ioctl(descriptor, UInt(TIOCEXCL)) == 0 else { throw SerialFailure(operation: .lock, code: errno) }
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0 else { throw SerialFailure(operation: .configure, code: errno) }
    cfmakeraw(&settings)
    settings.c_cflag &= ~tcflag_t(CSIZE | CSTOPB | PARENB)
    settings.c_cflag &= ~crtscts
    settings.c_cflag |= tcflag_t(CS8 | CLOCAL | CREAD)
    // VMIN 0 would make a read that finds nothing look like the end of the line.
    withUnsafeMutableBytes(of: &settings.c_cc) { control in
      control[Int(VMIN)] = 1
      control[Int(VTIME)] = 0
    }
    guard tcsetattr(descriptor, TCSANOW, &settings) == 0 else {
      throw SerialFailure(operation: .configure, code: errno)
    }
    try setSpeed(speed, of: descriptor)
  }

  /// termios(3)'s CRTSCTS, whose macro Swift does not import.
  private static let crtscts: tcflag_t = 0o20_000_000_000

  /// CDC-ACM devices and pseudo-terminals carry bytes at any setting; other lines only at the right one.
  private static func isSpeedBound(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return true }
    let major = (status.st_rdev >> 8) & 0xFFF
    let acmMajor: dev_t = 166
    let pseudoTerminalMajors: ClosedRange<dev_t> = 136...143
    return major != acmMajor && !pseudoTerminalMajors.contains(major)
  }
}
