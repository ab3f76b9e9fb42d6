import Glibc

/// A limit to the memory that a call may add, for a library that allocates what its peer declares.
struct MemoryLimit: ~Copyable {
  private static let resource = __rlimit_resource_t(RLIMIT_DATA.rawValue)

  private var standard = rlimit()
  private let allowance: UInt64
  /// `/proc/self/statm`, whose sixth number is the pages of data.
  private let usage: Int32
  private var ceiling: UInt64?

  init(allowance: UInt64) {
    self.allowance = allowance
    usage = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    getrlimit(Self.resource, &standard)
  }

  deinit {
    if usage >= 0 { close(usage) }
  }

  mutating func begin() {
    ceiling = bytes.map { $0 + allowance }
    set(ceiling)
  }

  /// Ends the call; returns whether it added so much that the peer is to blame.
  mutating func end() -> Bool {
    set(nil)
    defer { ceiling = nil }
    guard let ceiling, let bytes else { return false }
    return bytes + allowance / 2 > ceiling
  }

  /// Lifts the limit for code of the forwarder that the call leads to, which cannot do without memory.
  func lifted(_ body: () -> Void) {
    if ceiling != nil { set(nil) }
    body()
    if ceiling != nil { set(ceiling) }
  }

  private func set(_ bytes: UInt64?) {
    var limit = standard
    if let bytes { limit.rlim_cur = min(limit.rlim_cur, rlim_t(bytes)) }
    setrlimit(Self.resource, &limit)
  }

  /// Bytes of data of the process; `nil` without the file system of processes.
  private var bytes: UInt64? {
    var text = [UInt8](repeating: 0, count: 128)
    let count = pread(usage, &text, text.count, 0)
    guard count > 0 else { return nil }
    let numbers = text[..<count].split { !(0x30...0x39).contains($0) }
    guard numbers.count > 5 else { return nil }
    return UInt64(String(decoding: numbers[5], as: UTF8.self)).map { $0 &* UInt64(sysconf(Int32(_SC_PAGESIZE))) }
  }
}
