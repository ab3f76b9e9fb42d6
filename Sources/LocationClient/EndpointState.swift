import Libc

/// What is behind an endpoint instead of a daemon that answers, as far as this process can see: a sentence and a remedy
/// for each state. The Python client has the same ones.
enum EndpointState: Hashable {
  /// The path names no listening stream socket but something else.
  case notASocket(kind: String)
  /// This user may not search a directory of the path.
  case closedDirectory(path: String, owner: String, mode: mode_t)
  /// The socket is for a group to which this user does not belong.
  case ofGroup(String)
  /// The socket is for its owner alone.
  case ofOwner(String, mode: mode_t)
  /// More connections wait than the process accepts.
  case crowded(Peer)
  /// It accepts a connection and sends nothing.
  case mute(Peer)
  /// It has greeted, and does not answer.
  case unanswered(Peer)
  /// It sends something else than the protocol.
  case foreign(Peer)

  /// The process that listens, if it is known.
  struct Peer: Hashable {
    var pid: pid_t?
    var name: String?
    var isStopped = false
  }

  func error(at endpoint: Endpoint) -> LocationClientError {
    let (message, remedy) = words(at: "\(endpoint)")
    return switch self {
    case .closedDirectory, .ofGroup, .ofOwner: .denied(message: message, remedy: remedy)
    default: .unusable(message: message, remedy: remedy)
    }
  }

  private func words(at place: String) -> (message: String, remedy: String) {
    let restart = "restart it: sudo systemctl restart handlebard; its log: journalctl -u handlebard -n 20"
    let choice = "set HANDLEBAR_SOCKET to the path of the daemon's socket"
    switch self {
    case .notASocket(let kind): return ("\(place) is \(kind), not the daemon's socket", choice)
    case .closedDirectory(let path, let owner, let mode):
      return (
        "\(place): permission denied, the directory \(path) is for \(owner) alone (mode \(Self.octal(mode)))",
        "open it for others: sudo chmod o+x \(path); or choose another path: socket in handlebard.toml"
      )
    case .ofGroup(let group):
      return (
        "\(place): permission denied, it is for the group \(group)",
        "join the group: sudo usermod -aG \(group) \(Self.user), then log in again"
      )
    case .ofOwner(let owner, let mode):
      return (
        "\(place): permission denied, it is for \(owner) alone (mode \(Self.octal(mode)))",
        "set socket-mode and socket-group in handlebard.toml and restart the daemon, or connect as \(owner)"
      )
    case .crowded(let peer), .mute(let peer), .unanswered(let peer):
      if peer.isStopped, let pid = peer.pid {
        return ("\(peer.text) at \(place) is stopped", "continue it: sudo kill -CONT \(pid)")
      }
      return switch self {
      case .crowded: ("\(peer.text) at \(place) accepts no more connections", restart)
      case .mute: ("\(peer.text) at \(place) accepts a connection and sends nothing", restart)
      default: ("\(peer.text) at \(place) does not answer", restart)
      }
    case .foreign(let peer): return ("\(peer.text) at \(place) is not handlebard: it sends something else", choice)
    }
  }

  private static func octal(_ mode: mode_t) -> String { "0" + String(mode & 0o777, radix: 8) }

  private static var user: String { getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "$USER" }
}

extension EndpointState.Peer {
  fileprivate var text: String {
    guard let name, let pid else { return "the process" }
    return "\(name) (pid \(pid))"
  }

  /// The process that listens at an endpoint, by a connection of its own (`SO_PEERCRED`, unix(7)).
  init(at endpoint: Endpoint) {
    #if os(Linux)
      guard case .unix(let path) = endpoint, let address = UnixAddress(path: path) else { return }
      let socket = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
      guard socket >= 0 else { return }
      defer { close(socket) }
      _ = address.withSocketAddress { connect(socket, $0, $1) }
      // systemd listens for those that it starts by a connection.
      guard let peer = PeerCredentials(of: socket), peer.pid > 1 else { return }
      pid = peer.pid
      let words = Self.text("/proc/\(peer.pid)/stat")
      guard let open = words.firstIndex(of: "("), let end = words.lastIndex(of: ")"), open < end else { return }
      name = String(words[words.index(after: open)..<end])
      isStopped = words[words.index(after: end)...].split(separator: " ").first.map { $0 == "T" || $0 == "t" } ?? false
    #endif
  }

  private static func text(_ path: String) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = read(file, &bytes, bytes.count)
    return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
  }
}

extension Endpoint {
  /// The process that listens here, if it is known.
  package var listener: pid_t? { EndpointState.Peer(at: self).pid }
}

extension EndpointState {
  /// The state of an endpoint to which connecting failed with an error number; `nil` if no daemon is there.
  init?(connecting error: CInt, to endpoint: Endpoint) {
    guard case .unix(let path) = endpoint else { return nil }
    var status = stat()
    let isThere = stat(path, &status) == 0
    switch error {
    case EACCES, EPERM: self.init(deniedAt: path, isThere ? status : nil)
    case EAGAIN: self = .crowded(Peer(at: endpoint))
    case ELOOP: self = .notASocket(kind: "a loop of links")
    case EPROTOTYPE: self = .notASocket(kind: "a socket of another kind")
    case ECONNREFUSED where isThere && status.st_mode & S_IFMT == S_IFDIR: self = .notASocket(kind: "a directory")
    case ECONNREFUSED where isThere && status.st_mode & S_IFMT != S_IFSOCK: self = .notASocket(kind: "a file")
    default: return nil
    }
  }

  private init?(deniedAt path: String, _ socket: stat?) {
    if let socket {
      let group = getgrgid(socket.st_gid).map { String(cString: $0.pointee.gr_name) } ?? "\(socket.st_gid)"
      // Nobody joins root's group for a position.
      if socket.st_mode & 0o020 != 0, socket.st_gid != 0 {
        self = .ofGroup(group)
      } else {
        self = .ofOwner(Self.name(of: socket.st_uid), mode: socket.st_mode)
      }
      return
    }
    let directory = path.indices.filter { path[$0] == "/" && $0 != path.startIndex }.map { String(path[..<$0]) }
      .first { access($0, X_OK) != 0 && errno == EACCES }
    var status = stat()
    guard let directory, stat(directory, &status) == 0 else { return nil }
    self = .closedDirectory(path: directory, owner: Self.name(of: status.st_uid), mode: status.st_mode)
  }

  private static func name(of user: uid_t) -> String {
    getpwuid(user).map { String(cString: $0.pointee.pw_name) } ?? "user \(user)"
  }
}
