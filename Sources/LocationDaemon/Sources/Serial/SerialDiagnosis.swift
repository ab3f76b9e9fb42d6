import Glibc
import Libc
import LocationCore
import SystemPackage

/// Source errors of a serial line, with details beyond `errno`: groups, holders, other devices.
enum SerialDiagnosis {
  static func sourceError(for error: Errno, path: String) -> SourceError {
    switch error {
    case .noSuchFileOrDirectory: notFound(path: path)
    case .permissionDenied, .notPermitted:
      .denied(device: path, group: groupName(of: path), user: userName(), for: obstacle(of: path))
    case .resourceBusy: .busy(device: path, holder: holder(of: path))
    case .inappropriateIOCTLForDevice: .misconfigured(source: path, reason: "it is not a serial line")
    default: .unavailable(source: path, reason: "\(error)")
    }
  }

  private static func notFound(path: String) -> SourceError {
    let present = presentDevices()
    let disabled = present.isEmpty ? disabled(path: path) : nil
    return disabled ?? .notFound(device: path, present: present)
  }

  /// The error of a receiver that is silent or missing while the kill switch for receivers is on; `nil` if it is off.
  static func disabled(path: String, in directory: String = "/sys/class/rfkill") -> SourceError? {
    let isBlocked = Directory.names(in: directory).contains { name in
      guard firstLine(of: "\(directory)/\(name)/type") == "gps" else { return false }
      return ["soft", "hard"].contains { firstLine(of: "\(directory)/\(name)/\($0)") == "1" }
    }
    return isBlocked ? .disabled(source: path, by: .rfkill(name: "gps")) : nil
  }

  /// Time in which udev creates the links of a new device.
  private static let settlingTime = Duration.seconds(2)

  /// The serial lines that are present, at most eight. New ones are left out: udev may be about to create the very link
  /// that is missing. So are those to which the kernel writes its messages, as on a board's own port.
  static func presentDevices(
    in directory: String = "/dev", consoles: String = "/sys/class/tty/console/active",
    at now: UTCInstant = WallClock.now
  ) -> [String] {
    let prefixes = ["ttyACM", "ttyUSB", "ttyAMA", "ttyGPS", "gps", "serial0", "rfcomm"]
    let consoles = (firstLine(of: consoles) ?? "").split(separator: " ")
      .compactMap { Link.resolved("\(directory)/\($0)") }
    let settled = Directory.names(in: directory).filter { name in prefixes.contains { name.hasPrefix($0) } }.sorted()
      .map { "\(directory)/\($0)" }
      .filter { path in isSettled(path, at: now) && !consoles.contains { $0 == Link.resolved(path) } }
    return Array(settled.prefix(8))
  }

  private static func isSettled(_ path: String, at now: UTCInstant) -> Bool {
    guard let status = try? Stat(path) else { return false }
    let time = status.st_ctim
    let changed = UTCInstant(nanosecondsSince1970: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    // A change in the near future is udev's, after the caller read the clock; one beyond is from before it was set.
    let age = now - changed
    return age >= settlingTime || age < .zero - settlingTime
  }

  static func groupName(of path: String) -> String? {
    guard let status = try? Stat(path), let group = getgrgid(status.groupID.rawValue) else { return nil }
    return String(cString: group.pointee.gr_name)
  }

  private static func userName() -> String? {
    guard let user = getpwuid(geteuid()) else { return nil }
    return String(cString: user.pointee.pw_name)
  }

  /// What denies this process access to a device, judging by its group and mode.
  private static func obstacle(of path: String) -> SourceError.Obstacle {
    guard let status = try? Stat(path) else { return .membership }
    var groups = [gid_t](repeating: 0, count: 1024)
    let count = getgroups(CInt(groups.count), &groups)
    let owner = status.groupID.rawValue
    let isMember = owner == getegid() || groups.prefix(Int(max(count, 0))).contains(owner)
    if status.permissions.isSuperset(of: [.groupRead, .groupWrite]) { return isMember ? .other : .membership }
    return isMember ? .permission : .both
  }

  /// Another process, of the name `wanted` if given, that has the file at `path` open, if `/proc` shows it.
  static func holder(of path: String, named wanted: String? = nil) -> String? {
    guard let target = Link.resolved(path) else { return nil }
    let own = getpid()
    for process in Directory.names(in: "/proc") {
      guard let pid = Int32(process), pid != own, wanted == nil || name(of: process) == wanted else { continue }
      let isHolder = Directory.names(in: "/proc/\(process)/fd").contains {
        let descriptor = "/proc/\(process)/fd/\($0)"
        return Link.target(of: descriptor) == target && !Link.areTerminalsOfDifferentMounts(descriptor, target)
      }
      if isHolder { return "\(name(of: process)) (pid \(process))" }
    }
    return nil
  }

  private static func name(of process: String) -> String { firstLine(of: "/proc/\(process)/comm") ?? "a program" }

  /// The first line of a small file; `nil` if it is missing or empty.
  static func firstLine(of path: String) -> String? {
    guard let bytes = try? FileDescriptor.contents(of: path, limit: 64), bytes.count > 1 else { return nil }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }
}
