import Glibc
import Libc
import LocationCore
import SystemPackage

/// Reads a `SystemView` from the file system below `root`, so that tests can make up a computer.
struct SystemProbe {
  var root = ""

  /// Names of serial ports that could be a receiver's.
  private static let prefixes = ["ttyACM", "ttyUSB", "ttyAMA", "ttyGPS", "gps", "serial", "rfcomm"]
  private static let programs: Set<String> = ["gpsd", "ModemManager", "brltty", "agetty", "getty"]

  /// The view, given the daemon's answer; `paths` are further devices besides those in `/dev`.
  func view(of daemon: SystemView.Daemon, now: UTCInstant, paths: [String] = []) -> SystemView {
    var view = SystemView(daemon: daemon, now: now)
    let processes = processes
    let groups = groups
    let listed = entries(of: "/dev").filter { name in
      Self.prefixes.contains { name.hasPrefix($0) } && !name.hasSuffix("tty")
    }
    for path in Set(listed.map { "/dev/\($0)" } + paths).sorted() {
      if let device = device(at: path, processes, groups) { view.devices.append(device) }
    }
    view.programs = processes.map(\.process).filter { Self.programs.contains($0.name) }
    view.consoles = consoles
    view.isClockKept = exists("/run/systemd/timesync/synchronized") || root.isEmpty && KernelClock.error != nil
    view.disk = recordingPath(daemon).flatMap(disk)
    return view
  }

  func exists(_ path: String) -> Bool { status(path) != nil }

  private func device(
    at path: String, _ processes: [(process: SystemView.Process, held: [String: String])], _ groups: [UInt32: String]
  ) -> SystemView.Device? {
    guard let status = status(path), status.st_mode & S_IFMT != S_IFDIR, let target = target(of: path) else {
      return nil
    }
    var device = SystemView.Device(
      path: path, target: target, group: groups[status.st_gid] ?? "\(status.st_gid)", mode: status.st_mode & 0o777)
    device.holders = processes.filter { process in
      process.held[target].map { !Link.areTerminalsOfDifferentMounts($0, root + target) } ?? false
    }.map(\.process)
    let number = text("/sys/class/tty/\(device.name)/dev").prefix { !$0.isNewline }
    device.isIgnoredByModemManager = text("/run/udev/data/c\(number)").split(separator: "\n").contains {
      $0 == "E:ID_MM_DEVICE_IGNORE=1"
    }
    return device
  }

  /// Every process with the devices that it has open, and a descriptor of each, if this user may see them.
  private var processes: [(process: SystemView.Process, held: [String: String])] {
    entries(of: "/proc").compactMap { entry in
      guard let pid = Int32(entry) else { return nil }
      let name = String(text("/proc/\(entry)/comm").prefix { !$0.isNewline })
      let descriptors = entries(of: "/proc/\(entry)/fd")
      var held: [String: String] = [:]
      for descriptor in descriptors.map({ "\(root)/proc/\(entry)/fd/\($0)" }) {
        if let target = Link.target(of: descriptor), target.hasPrefix("/dev/") { held[target] = descriptor }
      }
      let arguments = text("/proc/\(entry)/cmdline").split(separator: "\0").dropFirst().map(String.init)
      return (SystemView.Process(pid: pid, name: name, arguments: Array(arguments)), held)
    }.sorted { $0.process.pid < $1.process.pid }
  }

  private var consoles: [String] {
    let active = text("/sys/class/tty/console/active").split(whereSeparator: \.isWhitespace).map(String.init)
    let named = text("/proc/cmdline").split(whereSeparator: \.isWhitespace).filter { $0.hasPrefix("console=") }.map {
      String($0.dropFirst("console=".count).prefix { $0 != "," })
    }
    return Set(active + named).sorted()
  }

  private var groups: [UInt32: String] {
    var groups: [UInt32: String] = [:]
    for line in text("/etc/group").split(separator: "\n") {
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      guard fields.count >= 3, let number = UInt32(fields[2]) else { continue }
      groups[number] = groups[number] ?? String(fields[0])
    }
    return groups
  }

  /// The directory of the recording in progress, or the package's.
  private func recordingPath(_ daemon: SystemView.Daemon) -> String? {
    if let file = daemon.status?.recording, file.contains("/") { return FilePath(file).removingLastComponent().string }
    return ["/var/lib/handlebar", "/var/lib"].first { exists($0) }
  }

  private func disk(at path: String) -> SystemView.Disk? {
    var room = statvfs()
    guard statvfs(root + path, &room) == 0 else { return nil }
    let size = UInt64(room.f_frsize)
    return SystemView.Disk(
      path: path, freeBytes: UInt64(room.f_bavail) &* size, totalBytes: UInt64(room.f_blocks) &* size)
  }

  private func status(_ path: String) -> stat? {
    guard let target = target(of: path) else { return nil }
    var status = stat()
    return lstat(root + target, &status) == 0 ? status : nil
  }

  /// The target of all links, within the root; `nil` when there is none.
  private func target(of path: String) -> String? {
    var path = path
    // The kernel's limit (path_resolution(7)).
    for _ in 0..<40 {
      guard let next = Link.target(of: root + path) else { break }
      path = FilePath(path).removingLastComponent().pushing(FilePath(next)).lexicallyNormalized().string
    }
    return access(root + path, F_OK) == 0 || errno == EACCES ? path : nil
  }

  /// The first 64 KiB of a file; empty when it cannot be read.
  private func text(_ path: String) -> String {
    let options: FileDescriptor.OpenOptions = [.closeOnExec, .nonBlocking]
    guard let file = try? FileDescriptor.open(root + path, .readOnly, options: options) else { return "" }
    defer { try? file.close() }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while bytes.count < 1 << 16, let count = try? chunk.withUnsafeMutableBytes({ try file.read(into: $0) }), count > 0 {
      bytes += chunk[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func entries(of directory: String) -> [String] { Directory.names(in: root + directory) }
}
