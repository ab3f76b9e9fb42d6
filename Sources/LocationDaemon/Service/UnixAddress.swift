import Glibc

/// The address of a Unix socket as systemd writes it: a path, or `@name` in the abstract namespace (unix(7)).
struct UnixAddress {
  private var storage = sockaddr_un()
  private let length: socklen_t

  /// `nil` for anything else: `sun_path` holds 108 bytes, a path with its NUL.
  init?(_ text: String) {
    var bytes = Array(text.utf8)
    guard bytes.count > 1, bytes.count < MemoryLayout.size(ofValue: storage.sun_path) else { return nil }
    switch bytes[0] {
    case UInt8(ascii: "/"): bytes.append(0)
    case UInt8(ascii: "@"): bytes[0] = 0
    default: return nil
    }
    storage.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &storage.sun_path) { $0.copyBytes(from: bytes) }
    length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
  }

  /// Calls `body` with what the socket calls take.
  func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafePointer(to: storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }
}
