import Glibc
import LocationCore
import SystemPackage
import Testing

@testable import LocationDaemon

@Suite("Diagnosis of serial lines")
struct SerialDiagnosisTests {
  private func error(_ errno: Errno, _ path: String = "/dev/gps0") -> SourceError {
    SerialDiagnosis.sourceError(for: errno, path: path)
  }

  @Test(
    arguments: [
      (.noSuchFileOrDirectory, "notFound"), (.permissionDenied, "denied"), (.notPermitted, "denied"),
      (.resourceBusy, "busy"), (.inappropriateIOCTLForDevice, "misconfigured"), (.ioError, "unavailable"),
      (.operationNotSupportedByDevice, "unavailable"), (.tooManyOpenFiles, "unavailable"),
    ] as [(Errno, String)]
  )
  func `Each errno has its kind of error`(errno: Errno, kind: String) {
    #expect(error(errno).code == kind)
  }

  @Test func `Other errors carry the system's text`() {
    #expect("\(error(.ioError))".contains(String(cString: strerror(EIO))))
  }

  @Test func `A denied device names its group and the user`() throws {
    let group = String(cString: try #require(getgrgid(0)).pointee.gr_name)
    let user = String(cString: try #require(getpwuid(geteuid())).pointee.pw_name)
    // Membership of that group would not help.
    #expect(
      error(.permissionDenied, "/etc/passwd")
        == .denied(device: "/etc/passwd", group: group, user: user, for: geteuid() == 0 ? .permission : .both))
    #expect(error(.permissionDenied, "/nowhere/gps0") == .denied(device: "/nowhere/gps0", group: nil, user: user))
  }

  @Test func `An obstacle is the membership, the mode, or both`() throws {
    let directory = try ScratchDirectory()
    try directory.write("", to: "gps0")
    let path = directory / "gps0"
    func obstacle() -> SourceError.Obstacle? {
      guard case .denied(_, _, _, let obstacle) = error(.permissionDenied, path) else { return nil }
      return obstacle
    }
    chmod(path, 0o600)
    #expect(obstacle() == .permission, "the process is a member of the group")
    chmod(path, 0o660)
    #expect(obstacle() == .other)
    chmod(path, 0o600)
    guard geteuid() == 0 else { return }
    try #require(chown(path, 0, 54_321) == 0)
    #expect(obstacle() == .both)
    chmod(path, 0o660)
    #expect(obstacle() == .membership)
  }

  @Test(arguments: [
    ("gps", "1", "0", true), ("gps", "0", "1", true), ("gps", "0", "0", false), ("wlan", "1", "1", false),
  ])
  func `A kill switch for receivers disables the receiver`(type: String, soft: String, hard: String, isOff: Bool) throws
  {
    let directory = try ScratchDirectory()
    #expect(SerialDiagnosis.disabled(path: "/dev/gps0", in: directory / "absent") == nil)
    let radio = directory / "rfkill0"
    try #require(mkdir(radio, 0o755) == 0)
    for (name, text) in [("type", type), ("soft", soft), ("hard", hard)] {
      try directory.write(text + "\n", to: "rfkill0/\(name)")
    }
    let expected = SourceError.disabled(source: "/dev/gps0", by: .rfkill(name: "gps"))
    #expect(SerialDiagnosis.disabled(path: "/dev/gps0", in: directory / "") == (isOff ? expected : nil))
  }

  @Test func `A file that no other process has open has no holder`() throws {
    let directory = try ScratchDirectory()
    try directory.write("", to: "gps0")
    // A child that another test is starting has the files of this process until it executes its program.
    _ = try until("the file to have no holder") {
      error(.resourceBusy, directory / "gps0") == .busy(device: directory / "gps0", holder: nil) ? true : nil
    }
    #expect(error(.resourceBusy, "/nowhere/gps0") == .busy(device: "/nowhere/gps0", holder: nil))
  }

  @Test func `The holder is found through links, with name and pid`() throws {
    let directory = try ScratchDirectory()
    try directory.write("", to: "ttyX")
    try directory.link("gps0", to: directory / "ttyX")
    let holder = try ChildProcess("sleep", ["60"], environment: [:], output: directory / "ttyX")
    let name = try until("the program to start") {
      if case .busy(_, .some(let holder)) = error(.resourceBusy, directory / "gps0"), holder.hasPrefix("sleep") {
        return holder
      }
      return nil
    }
    #expect(name == "sleep (pid \(holder.pid))")
  }

  @Test func `Present devices are serial lines only, sorted, at most eight`() throws {
    let directory = try ScratchDirectory()
    #expect(SerialDiagnosis.presentDevices(in: directory.path, at: .soon).isEmpty)
    for name in ["ttyUSB1", "tty1", "ttyACM0", "console", "ttyS0", "gps1", "ttyUSB0"] {
      try directory.write("", to: name)
    }
    #expect(
      SerialDiagnosis.presentDevices(in: directory.path, at: .soon)
        == ["gps1", "ttyACM0", "ttyUSB0", "ttyUSB1"].map { directory / $0 })
    for number in 2..<20 { try directory.write("", to: "ttyUSB\(number)") }
    #expect(SerialDiagnosis.presentDevices(in: directory.path, at: .soon).count == 8)
    #expect(SerialDiagnosis.presentDevices(in: "/nowhere", at: .soon).isEmpty)
  }

  @Test func `The kernel's consoles are not listed`() throws {
    let directory = try ScratchDirectory()
    for name in ["ttyAMA0", "ttyAMA10", "ttyUSB0"] { try directory.write("", to: name) }
    try directory.link("serial0", to: directory / "ttyAMA10")
    try directory.write("tty0 ttyAMA10\n", to: "active")
    #expect(
      SerialDiagnosis.presentDevices(in: directory.path, consoles: directory / "active", at: .soon)
        == ["ttyAMA0", "ttyUSB0"].map { directory / $0 })
  }

  @Test func `A new device is not listed, because its link may follow`() throws {
    let directory = try ScratchDirectory()
    try directory.write("", to: "ttyACM1")
    let time = try Stat(directory / "ttyACM1").st_ctim
    let now = UTCInstant(nanosecondsSince1970: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    func present(after seconds: Int) -> [String] {
      SerialDiagnosis.presentDevices(in: directory.path, at: now + .seconds(seconds))
    }
    #expect(present(after: 0).isEmpty)
    #expect(present(after: 1).isEmpty)
    #expect(present(after: 3) == [directory / "ttyACM1"])
    // udev changes the device after the caller has looked at the clock.
    #expect(present(after: -1).isEmpty)
    // A change in the future is from before the clock was set.
    #expect(present(after: -3600) == [directory / "ttyACM1"])
  }
}

extension UTCInstant {
  /// A time at which new files have settled.
  fileprivate static var soon: UTCInstant { WallClock.now + .seconds(10) }
}
