import Glibc
import Testing

@testable import LocationDaemon

@Suite("Opening a serial line")
struct SerialLineSetupTests {
  private func settings(_ descriptor: Int32) throws -> termios {
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0 else { throw SystemFailure("tcgetattr") }
    return settings
  }

  @Test("raw, 8N1, at the speed, no carrier awaited, given to no child", arguments: [4800, 9600, 115_200, 921_600])
  func raw(speed: Int) throws {
    let terminal = try PseudoTerminal()
    let line = try SerialLine(path: terminal.path, speed: speed)
    defer { close(line.descriptor) }
    let settings = try settings(line.descriptor)
    #expect(settings.c_lflag & tcflag_t(ECHO | ICANON | ISIG | IEXTEN) == 0)
    #expect(settings.c_iflag & tcflag_t(IXON | ICRNL | INLCR | IGNCR | ISTRIP) == 0)
    #expect(settings.c_oflag & tcflag_t(OPOST) == 0)
    #expect(settings.c_cflag & tcflag_t(CSIZE) == tcflag_t(CS8))
    #expect(settings.c_cflag & tcflag_t(PARENB | CSTOPB) == 0)
    #expect(settings.c_cflag & tcflag_t(CLOCAL | CREAD) == tcflag_t(CLOCAL | CREAD))
    #expect(SerialLine.speeds[speed] == withUnsafePointer(to: settings) { cfgetispeed($0) })
    #expect(fcntl(line.descriptor, F_GETFD) & FD_CLOEXEC != 0)
    #expect(fcntl(line.descriptor, F_GETFL) & O_NONBLOCK != 0)
    #expect(fcntl(line.descriptor, F_GETFL) & O_ACCMODE == O_RDONLY)
    #expect(!line.needsSpeed, "a pseudo-terminal carries bytes at any speed")
    try SerialLine.setSpeed(38_400, of: line.descriptor)
    let changed = try self.settings(line.descriptor)
    #expect(SerialLine.speeds[38_400] == withUnsafePointer(to: changed) { cfgetospeed($0) })
  }

  @Test("what cannot be opened says what failed, and leaves nothing open")
  func failures() throws {
    let directory = try ScratchDirectory()
    try directory.write("", to: "file")
    #expect(throws: SerialFailure(operation: .open, code: ENOENT)) {
      try SerialLine(path: directory / "none", speed: 9600)
    }
    #expect(throws: SerialFailure(operation: .open, code: ENOTTY)) {
      try SerialLine(path: directory / "file", speed: 9600)
    }
    let terminal = try PseudoTerminal()
    #expect(throws: SerialFailure(operation: .configure, code: EINVAL)) {
      try SerialLine(path: terminal.path, speed: 1234)
    }
  }

  @Test("held once, it is held")
  func exclusive() throws {
    let terminal = try PseudoTerminal()
    let line = try SerialLine(path: terminal.path, speed: 9600)
    let failure = try #require(throws: SerialFailure.self) { try SerialLine(path: terminal.path, speed: 9600) }
    #expect(failure.code == EBUSY)
    close(line.descriptor)
  }
}
