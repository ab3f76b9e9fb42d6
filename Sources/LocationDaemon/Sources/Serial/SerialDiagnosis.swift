import Glibc
import LocationCore

/// Why a serial line cannot be had, told so that a person can act: what `errno` does not say is looked up.
enum SerialDiagnosis {
  /// The error of a source for a failed system call.
  static func sourceError(for failure: SerialFailure, path: String) -> SourceError {
    switch failure.code {
    case ENOENT: notFound(path: path)
    case EACCES, EPERM:
      .denied(device: path, group: groupName(of: path), user: userName(), for: obstacle(of: path))
    case EBUSY: .busy(device: path, holder: holder(of: path))
    case ENOTTY: .misconfigured(source: path, reason: "it is not a serial line")
    default: .unavailable(source: path, reason: String(cString: strerror(failure.code)))
    }
  }

  private static func notFound(path: String) -> SourceError {
    let present = presentDevices()
    let disabled = present.isEmpty ? disabled(path: path) : nil
    return disabled ?? .notFound(device: path, present: present)
  }

  /// The error of a line that hung up.
  static func unplugged(path: String) -> SourceError {
    .unavailable(source: path, reason: "the receiver was unplugged")
  }

  /// The error of a line that could not be watched.
  static func unavailable(path: String) -> SourceError {
    .unavailable(source: path, reason: "the line hung up while it was opened")
  }

  /// How long after a device came or was given to its group its links may still be on their way.
  private static let settling = Duration.seconds(2)

  /// The serial lines that are there, and were there a while ago: beside one that was plugged in just now udev is about
  /// to make the link that is waited for, and to name it instead would mislead.
  static func presentDevices(in directory: String = "/dev", at now: UTCInstant = WallClock.now) -> [String] {
    let prefixes = ["ttyACM", "ttyUSB", "ttyAMA", "ttyGPS", "gps", "serial0", "rfcomm"]
    return entries(of: directory).filter { name in prefixes.contains { name.hasPrefix($0) } }.sorted()
      .map { "\(directory)/\($0)" }.filter { isSettled($0, at: now) }.prefix(8).map { $0 }
  }

  private static func isSettled(_ path: String, at now: UTCInstant) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    let changed = UTCInstant(
      nanosecondsSince1970: Int64(status.st_ctim.tv_sec) * 1_000_000_000 + Int64(status.st_ctim.tv_nsec))
    // A change in the future is one of before the clock was set.
    return !(.zero..<settling).contains(now - changed)
  }

  private static func groupName(of path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0, let group = getgrgid(status.st_gid) else { return nil }
    return String(cString: group.pointee.gr_name)
  }

  /// What keeps this process from a device, as far as owner and mode tell.
  private static func obstacle(of path: String) -> SourceError.Obstacle {
    var status = stat()
    guard stat(path, &status) == 0 else { return .membership }
    var groups = [gid_t](repeating: 0, count: 1024)
    let count = getgroups(CInt(groups.count), &groups)
    let isMember = status.st_gid == getegid() || groups.prefix(Int(max(count, 0))).contains(status.st_gid)
    if status.st_mode & 0o060 == 0o060 { return isMember ? .other : .membership }
    return isMember ? .permission : .both
  }

  /// The error of a receiver that is silent or gone while a kill switch for receivers is set; `nil` when none is.
  static func disabled(path: String, in directory: String = "/sys/class/rfkill") -> SourceError? {
    let isBlocked = entries(of: directory).contains { name in
      guard firstLine(of: "\(directory)/\(name)/type") == "gps" else { return false }
      return ["soft", "hard"].contains { firstLine(of: "\(directory)/\(name)/\($0)") == "1" }
    }
    return isBlocked ? .disabled(source: path, by: .rfkill(name: "gps")) : nil
  }

  private static func userName() -> String? {
    guard let user = getpwuid(geteuid()) else { return nil }
    return String(cString: user.pointee.pw_name)
  }

  /// The process that has `path` open, as far as `/proc` shows it; only one of that name if one is wanted.
  static func holder(of path: String, named wanted: String? = nil) -> String? {
    guard let target = realPath(path) else { return nil }
    let own = getpid()
    for process in entries(of: "/proc") {
      guard let pid = Int32(process), pid != own, wanted == nil || name(of: process) == wanted else { continue }
      for descriptor in entries(of: "/proc/\(process)/fd")
      where linkTarget("/proc/\(process)/fd/\(descriptor)") == target {
        return "\(name(of: process)) (pid \(process))"
      }
    }
    return nil
  }

  private static func name(of process: String) -> String { firstLine(of: "/proc/\(process)/comm") ?? "a program" }

  /// The first line of a file of the kernel's, `nil` when there is none or it is empty.
  private static func firstLine(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 1 else { return nil }
    return String(decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }

  /// The path behind all links; `nil` when there is no such file.
  static func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// What a link of the kernel's leads to, without going there: a dead file system would hold the daemon up.
  private static func linkTarget(_ path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: 256)
    let count = readlink(path, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
  }

  private static func entries(of directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
