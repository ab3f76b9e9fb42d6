import Glibc

/// What a process has used so far, all of its threads together.
struct Usage {
  /// CPU time, nanoseconds.
  var cpu: Int64 = 0
  /// How often it woke up: it had waited by its own will.
  var wakeups: Int64 = 0
  /// How often it read from a file or a line.
  var reads: Int64 = 0

  init(of pid: pid_t) throws {
    guard let folder = opendir("/proc/\(pid)/task") else { throw Failure("/proc/\(pid)/task") }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let thread = withUnsafeBytes(of: &entry.pointee.d_name) { name in
        String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard thread.first != "." else { continue }
      let base = "/proc/\(pid)/task/\(thread)"
      cpu += Int64(try text(of: "\(base)/schedstat").split(separator: " ").first ?? "") ?? 0
      wakeups += try field("voluntary_ctxt_switches:", of: "\(base)/status")
    }
    reads = try field("syscr:", of: "/proc/\(pid)/io")
  }

  private init() {}

  /// What was used between two moments.
  static func - (later: Usage, earlier: Usage) -> Usage {
    var difference = Usage()
    difference.cpu = later.cpu - earlier.cpu
    difference.wakeups = later.wakeups - earlier.wakeups
    difference.reads = later.reads - earlier.reads
    return difference
  }
}

/// The memory that a process holds, kB.
struct Memory {
  /// Resident.
  let rss: Double
  /// Of that, what is backed by no file.
  let anonymous: Double

  init(of pid: pid_t) throws {
    let path = "/proc/\(pid)/smaps_rollup"
    rss = Double(try field("Rss:", of: path))
    anonymous = Double(try field("Anonymous:", of: path))
  }
}

private func text(of path: String) throws -> String {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw Failure(path) }
  defer { close(descriptor) }
  var bytes = [UInt8](repeating: 0, count: 8192)
  let count = read(descriptor, &bytes, bytes.count)
  guard count >= 0 else { throw Failure(path) }
  return String(decoding: bytes.prefix(count), as: UTF8.self)
}

private func field(_ name: String, of path: String) throws -> Int64 {
  for line in try text(of: path).split(separator: "\n") where line.hasPrefix(name) {
    let value = line.dropFirst(name.count).split(whereSeparator: { $0 == " " || $0 == "\t" }).first
    if let number = value.flatMap({ Int64($0) }) { return number }
  }
  throw Failure("\(path) has no \(name)")
}
