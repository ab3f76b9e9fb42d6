#if os(Linux)
  /// The address of a Unix socket: a path, or `@name` in the abstract namespace (unix(7)).
  package struct UnixAddress {
    private var storage = sockaddr_un()
    private let length: socklen_t

    /// Parses an address as systemd writes it: an absolute path, or `@name`.
    package init?(_ text: String) {
      var bytes = Array(text.utf8)
      guard bytes.count > 1 else { return nil }
      switch bytes[0] {
      case UInt8(ascii: "/"): bytes.append(0)
      case UInt8(ascii: "@"): bytes[0] = 0
      default: return nil
      }
      self.init(bytes: bytes)
    }

    /// The address of a socket file; `nil` if the path is longer than 107 bytes.
    package init?(path: String) { self.init(bytes: Array(path.utf8) + [0]) }

    private init?(bytes: [UInt8]) {
      guard bytes.count <= MemoryLayout.size(ofValue: storage.sun_path) else { return nil }
      storage.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &storage.sun_path) { $0.copyBytes(from: bytes) }
      length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    }

    /// Calls `body` with the arguments of bind(2), connect(2) and sendto(2).
    package func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
      withUnsafePointer(to: storage) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
      }
    }
  }

  /// The peer process of a Unix socket (`SO_PEERCRED`, unix(7)) as `struct ucred`: glibc's needs GNU extensions.
  package struct PeerCredentials: Hashable, Sendable {
    package private(set) var pid: Int32 = 0
    package private(set) var uid: UInt32 = 0
    private var gid: UInt32 = 0

    /// The peer of a connected socket; `nil` if the kernel does not report one.
    package init?(of socket: Int32) {
      var length = socklen_t(MemoryLayout<Self>.size)
      guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &self, &length) == 0, length == MemoryLayout<Self>.size,
        pid > 0
      else { return nil }
    }
  }
#endif
