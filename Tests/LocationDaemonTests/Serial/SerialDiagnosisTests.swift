import Glibc
import LocationCore
import Testing

@testable import LocationDaemon

@Suite("Why a serial line cannot be had")
struct SerialDiagnosisTests {
  private func error(_ code: Int32, _ path: String = "/dev/gps0") -> SourceError {
    SerialDiagnosis.sourceError(for: SerialFailure(operation: .open, code: code), path: path)
  }

  @Test(
    "each errno has its kind",
    arguments: [
      (ENOENT, "notFound"), (EACCES, "denied"), (EPERM, "denied"), (EBUSY, "busy"), (ENOTTY, "misconfigured"),
      (EIO, "unavailable"), (ENODEV, "unavailable"), (EMFILE, "unavailable"),
    ])
  func kinds(code: Int32, kind: String) {
    #expect(error(code).code == kind)
  }

  @Test("what is not looked up says what the system says")
  func systemText() {
    #expect("\(error(EIO))".contains(String(cString: strerror(EIO))))
  }

  @Test("what may not be opened names its group and who asks")
  func denied() throws {
    let group = String(cString: try #require(getgrgid(0)).pointee.gr_name)
    let user = String(cString: try #require(getpwuid(geteuid())).pointee.pw_name)
    // Whoever joins that group can write to it no more than before.
    #expect(
      error(EACCES, "/etc/passwd")
        == .denied(device: "/etc/passwd", group: group, user: user, for: geteuid() == 0 ? .permission : .both))
    #expect(error(EACCES, "/nowhere/gps0") == .denied(device: "/nowhere/gps0", group: nil, user: user))
  }

  @Test("what keeps somebody from a device is the group, its rights, or both")
  func obstacles() throws {
    let directory = try ScratchDirectory()
    try directory.write("", to: "gps0")
    let path = directory / "gps0"
    func obstacle() -> SourceError.Obstacle? {
      guard case .denied(_, _, _, let obstacle) = error(EACCES, path) else { return nil }
      return obstacle
    }
    chmod(path, 0o600)
    #expect(obstacle() == .permission, "its group is this process's own")
    chmod(path, 0o660)
    #expect(obstacle() == .other)
    chmod(path, 0o600)
    guard geteuid() == 0 else { return }
    try #require(chown(path, 0, 54_321) == 0)
    #expect(obstacle() == .both)
    chmod(path, 0o660)
    #expect(obstacle() == .membership)
  }

  @Test(
    "a receiver is switched off by a kill switch for receivers, soft or hard",
    arguments: [("gps", "1", "0", true), ("gps", "0", "1", true), ("gps", "0", "0", false), ("wlan", "1", "1", false)])
  func killSwitch(type: String, soft: String, hard: String, isOff: Bool) throws {
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

  @Test("what nobody else holds has no holder")
  func noHolder() throws {
    let directory = try ScratchDirectory()
    try directory.write("", to: "gps0")
    #expect(error(EBUSY, directory / "gps0") == .busy(device: directory / "gps0", holder: nil))
    #expect(error(EBUSY, "/nowhere/gps0") == .busy(device: "/nowhere/gps0", holder: nil))
  }

  @Test("who holds it is found through links, with name and number")
  func holder() throws {
    let directory = try ScratchDirectory()
    try directory.write("", to: "ttyX")
    try directory.link("gps0", to: directory / "ttyX")
    let holder = try ChildProcess("sleep", ["60"], environment: [:], output: directory / "ttyX")
    let name = try until("the program to start") {
      if case .busy(_, .some(let holder)) = error(EBUSY, directory / "gps0"), holder.hasPrefix("sleep") {
        return holder
      }
      return nil
    }
    #expect(name == "sleep (pid \(holder.pid))")
  }

  @Test("what is plugged in instead: serial lines only, in order, at most eight")
  func present() throws {
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

  @Test("what was plugged in just now is not named instead: its link may be on its way")
  func settling() throws {
    let directory = try ScratchDirectory()
    try directory.write("", to: "ttyACM1")
    let now = WallClock.now
    func present(after seconds: Int) -> [String] {
      SerialDiagnosis.presentDevices(in: directory.path, at: now + .seconds(seconds))
    }
    #expect(present(after: 0).isEmpty)
    #expect(present(after: 1).isEmpty)
    #expect(present(after: 3) == [directory / "ttyACM1"])
    // A clock that was set back says nothing about what came when.
    #expect(present(after: -3600) == [directory / "ttyACM1"])
  }
}

extension UTCInstant {
  /// When what was made just now counts as having been there.
  fileprivate static var soon: UTCInstant { WallClock.now + .seconds(10) }
}
