import Glibc
import SystemPackage

/// A serial line: raw, 8N1, exclusive. It can be written to only if it was opened for that.
struct SerialLine {
  /// The open descriptor, which the owner of the line closes.
  let descriptor: FileDescriptor
  /// Whether the speed matters; USB CDC-ACM receivers and pseudo-terminals work at any speed.
  let needsSpeed: Bool
  /// Whether the line is USB CDC ACM, which has no speed.
  let isUSB: Bool

  init(path: String, speed: Int, isWritable: Bool = false) throws(Errno) {
    // O_NONBLOCK: open(2) must not wait for a carrier.
    let number = try Errno.check { open(path, (isWritable ? O_RDWR : O_RDONLY) | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) }
    descriptor = FileDescriptor(rawValue: number)
    do throws(Errno) {
      try Self.configure(number, speed: speed)
    } catch {
      Glibc.close(number)
      throw error
    }
    isUSB = Self.major(descriptor) == Self.acmMajor
    // A pseudo-terminal has a speed, but only a receiver that changes it can make it wrong.
    needsSpeed = !isUSB && (isWritable || !Self.pseudoTerminalMajors.contains(Self.major(descriptor)))
  }

  func close() { try? descriptor.close() }

  static func setSpeed(_ speed: Int, of descriptor: FileDescriptor) throws(Errno) {
    var settings = termios()
    try Errno.check { tcgetattr(descriptor.rawValue, &settings) }
    guard let code = SerialOptions.speeds[speed], cfsetispeed(&settings, code) == 0, cfsetospeed(&settings, code) == 0
    else {
      throw .invalidArgument
    }
    try Errno.check { tcsetattr(descriptor.rawValue, TCSANOW, &settings) }
  }

  /// The bytes that the driver and its buffer have lost so far; `nil` if it does not count them, as on pseudo-terminals.
  static func overruns(of descriptor: FileDescriptor) -> UInt64? {
    // serial_icounter_struct of linux/serial.h, which Glibc does not have.
    var counts = [UInt32](repeating: 0, count: 20)
    let result = counts.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map { ioctl(descriptor.rawValue, UInt(TIOCGICOUNT), $0) }
    }
    return result == 0 ? UInt64(counts[7]) + UInt64(counts[10]) : nil
  }

  private static func configure(_ number: Int32, speed: Int) throws(Errno) {
    guard isatty(number) == 1 else { throw .inappropriateIOCTLForDevice }
    guard flock(number, LOCK_EX | LOCK_NB) == 0 else { throw .resourceBusy }
    try Errno.check { ioctl(number, UInt(TIOCEXCL)) }
    var settings = termios()
    try Errno.check { tcgetattr(number, &settings) }
    cfmakeraw(&settings)
    settings.c_cflag &= ~tcflag_t(CSIZE | CSTOPB | PARENB)
    settings.c_cflag &= ~crtscts
    settings.c_cflag |= tcflag_t(CS8 | CLOCAL | CREAD)
    // With VMIN 0 a read without data looks like the end of the line.
    withUnsafeMutableBytes(of: &settings.c_cc) { control in
      control[Int(VMIN)] = 1
      control[Int(VTIME)] = 0
    }
    try Errno.check { tcsetattr(number, TCSANOW, &settings) }
    try setSpeed(speed, of: FileDescriptor(rawValue: number))
  }

  /// CRTSCTS of termios(3), a macro that Swift does not import.
  private static let crtscts: tcflag_t = 0o20_000_000_000
  private static let acmMajor: dev_t = 166
  private static let pseudoTerminalMajors: ClosedRange<dev_t> = 136...143

  private static func major(_ descriptor: FileDescriptor) -> dev_t {
    guard let status = try? descriptor.stat() else { return 0 }
    return (status.rawValue.st_rdev >> 8) & 0xFFF
  }
}
