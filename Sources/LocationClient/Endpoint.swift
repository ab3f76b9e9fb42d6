import Glibc

/// Where the daemon listens.
public enum Endpoint: Hashable, Sendable, CustomStringConvertible {
  /// A Unix stream socket.
  case unix(path: String)
  /// The loopback port for programs that cannot open a Unix socket.
  case tcp(host: String, port: Int)

  /// Where the daemon listens unless it was told otherwise.
  public static let standardPath = "/run/handlebar/location.sock"

  /// What the environment variable `HANDLEBAR_SOCKET` names, or else the standard path.
  public static var environment: Endpoint {
    guard let value = getenv("HANDLEBAR_SOCKET"), value.pointee != 0 else { return .unix(path: standardPath) }
    return .unix(path: String(cString: value))
  }

  /// The path, or `host:port`.
  public var description: String {
    switch self {
    case .unix(let path): path
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
  }
}
