import Glibc
import SystemPackage
import Testing

@testable import LocationDaemon

@Suite("Setup of a serial line")
struct SerialLineSetupTests {
  private func settings(_ descriptor: FileDescriptor) throws -> termios {
    var settings = termios()
    guard tcgetattr(descriptor.rawValue, &settings) == 0 else { throw SystemFailure("tcgetattr") }
    return settings
  }

  @Test(arguments: [4800, 9600, 115_200, 921_600])
  func `A line is raw, 8N1, at its speed, non-blocking and not inherited`(speed: Int) throws {
    let terminal = try PseudoTerminal()
    let line = try SerialLine(path: terminal.path, speed: speed)
    defer { line.close() }
    let settings = try settings(line.descriptor)
    #expect(settings.c_lflag & tcflag_t(ECHO | ICANON | ISIG | IEXTEN) == 0)
    #expect(settings.c_iflag & tcflag_t(IXON | ICRNL | INLCR | IGNCR | ISTRIP) == 0)
    #expect(settings.c_oflag & tcflag_t(OPOST) == 0)
    #expect(settings.c_cflag & tcflag_t(CSIZE) == tcflag_t(CS8))
    #expect(settings.c_cflag & tcflag_t(PARENB | CSTOPB) == 0)
    #expect(settings.c_cflag & tcflag_t(CLOCAL | CREAD) == tcflag_t(CLOCAL | CREAD))
    #expect(SerialOptions.speeds[speed] == withUnsafePointer(to: settings) { cfgetispeed($0) })
    #expect(fcntl(line.descriptor.rawValue, F_GETFD) & FD_CLOEXEC != 0)
    #expect(fcntl(line.descriptor.rawValue, F_GETFL) & O_NONBLOCK != 0)
    #expect(fcntl(line.descriptor.rawValue, F_GETFL) & O_ACCMODE == O_RDONLY)
    #expect(!line.needsSpeed, "a pseudo-terminal carries bytes at any speed")
    try SerialLine.setSpeed(38_400, of: line.descriptor)
    let changed = try self.settings(line.descriptor)
    #expect(SerialOptions.speeds[38_400] == withUnsafePointer(to: changed) { cfgetospeed($0) })
  }

  @Test func `A failed open throws its errno`() throws {
    let directory = try ScratchDirectory()
    try directory.write("", to: "file")
    #expect(throws: Errno.noSuchFileOrDirectory) {
      try SerialLine(path: directory / "none", speed: 9600)
    }
    #expect(throws: Errno.inappropriateIOCTLForDevice) {
      try SerialLine(path: directory / "file", speed: 9600)
    }
    let terminal = try PseudoTerminal()
    #expect(throws: Errno.invalidArgument) {
      try SerialLine(path: terminal.path, speed: 1234)
    }
  }

  @Test func `An open line is exclusive`() throws {
    let terminal = try PseudoTerminal()
    let line = try SerialLine(path: terminal.path, speed: 9600)
    #expect(throws: Errno.resourceBusy) { try SerialLine(path: terminal.path, speed: 9600) }
    line.close()
  }
}
