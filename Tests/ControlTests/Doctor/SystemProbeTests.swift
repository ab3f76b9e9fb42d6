import Glibc
import LocationCore
import Testing

@testable import Control

@Suite("Reading a system")
struct SystemProbeTests {
  /// A made-up computer: files below a temporary directory.
  private final class Computer {
    let root: String

    init() throws {
      var template = Array("/tmp/handlebar-doctor-XXXXXX".utf8CString)
      guard mkdtemp(&template) != nil else { throw IOFailure(code: errno) }
      root = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { Self.remove(root) }

    func write(_ text: String, to path: String) throws {
      let parts = path.split(separator: "/").map(String.init)
      for count in 1..<parts.count { mkdir(root + "/" + parts[..<count].joined(separator: "/"), 0o755) }
      let descriptor = open(root + path, O_WRONLY | O_CREAT, 0o644)
      guard descriptor >= 0 else { throw IOFailure(code: errno) }
      defer { close(descriptor) }
      let bytes = Array(text.utf8)
      guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else { throw IOFailure(code: errno) }
    }

    func link(_ path: String, to target: String) throws {
      try write("", to: path)
      unlink(root + path)
      guard symlink(target, root + path) == 0 else { throw IOFailure(code: errno) }
    }

    private static func remove(_ path: String) {
      var status = stat()
      guard lstat(path, &status) == 0 else { return }
      if status.st_mode & S_IFMT == S_IFDIR, let stream = opendir(path) {
        while let entry = readdir(stream) {
          let name = withUnsafeBytes(of: &entry.pointee.d_name) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
          }
          if name != ".", name != ".." { remove(path + "/" + name) }
        }
        closedir(stream)
        rmdir(path)
      } else {
        unlink(path)
      }
    }
  }

  private func view(_ computer: Computer, paths: [String] = []) -> SystemView {
    SystemProbe(root: computer.root).view(
      of: .absent(path: "/run/s"), now: UTCInstant(nanosecondsSince1970: 0), paths: paths)
  }

  @Test func `A receiver behind its stable link has group, mode and udev properties`() throws {
    let computer = try Computer()
    try computer.write("", to: "/dev/ttyACM3")
    chmod(computer.root + "/dev/ttyACM3", 0o640)
    try computer.link("/dev/gps0", to: "ttyACM3")
    try computer.write("166:3\n", to: "/sys/class/tty/ttyACM3/dev")
    try computer.write("S:gps0\nE:ID_MM_DEVICE_IGNORE=1\nG:systemd\n", to: "/run/udev/data/c166:3")
    try computer.write("root:x:0:\nnobody:x:\(getegid()):\ndialout:x:20:\n", to: "/etc/group")
    let devices = view(computer).devices
    #expect(devices.map(\.path) == ["/dev/gps0", "/dev/ttyACM3"])
    let group = getegid() == 0 ? "root" : "nobody"
    for device in devices {
      #expect(device.target == "/dev/ttyACM3" && device.name == "ttyACM3")
      #expect(device.mode == 0o640 && device.group == group)
      #expect(device.isIgnoredByModemManager)
    }
  }

  @Test func `The holder of a device is found under any of its names`() throws {
    let computer = try Computer()
    try computer.write("", to: "/dev/ttyUSB0")
    try computer.link("/dev/serial/by-id/usb-u-blox-if00", to: "../../ttyUSB0")
    try computer.write("gpsd\n", to: "/proc/812/comm")
    try computer.write("gpsd\0-N\0/dev/ttyUSB0\0", to: "/proc/812/cmdline")
    try computer.link("/proc/812/fd/0", to: "/dev/null")
    try computer.link("/proc/812/fd/7", to: "/dev/ttyUSB0")
    try computer.write("sleep\n", to: "/proc/99/comm")
    let view = view(computer, paths: ["/dev/serial/by-id/usb-u-blox-if00"])
    let gpsd = SystemView.Process(pid: 812, name: "gpsd", arguments: ["-N", "/dev/ttyUSB0"])
    #expect(view.devices.map(\.path) == ["/dev/serial/by-id/usb-u-blox-if00", "/dev/ttyUSB0"])
    #expect(view.devices.allSatisfy { $0.holders == [gpsd] && !$0.isIgnoredByModemManager })
    #expect(view.programs == [gpsd])
  }

  @Test func `Consoles are those of the command line and the active ones`() throws {
    let computer = try Computer()
    try computer.write("root=/dev/sda console=ttyAMA0,115200 quiet console=tty1\n", to: "/proc/cmdline")
    try computer.write("tty0 ttyAMA0\n", to: "/sys/class/tty/console/active")
    #expect(view(computer).consoles == ["tty0", "tty1", "ttyAMA0"])
  }

  @Test func `An empty system has no devices`() throws {
    let computer = try Computer()
    #expect(
      view(computer, paths: ["/dev/gps0"])
        == SystemView(daemon: .absent(path: "/run/s"), now: UTCInstant(nanosecondsSince1970: 0)))
    try computer.link("/dev/gps0", to: "gps0")
    try computer.link("/dev/gps1", to: "ttyACM9")
    #expect(view(computer).devices.isEmpty)
  }

  @Test func `The disk of the rides has its size`() throws {
    let computer = try Computer()
    try computer.write("", to: "/var/lib/handlebar/x")
    let disk = try #require(view(computer).disk)
    #expect(disk.path == "/var/lib/handlebar")
    #expect(disk.totalBytes > 0 && disk.freeBytes <= disk.totalBytes)
  }
}
