import GPSDProtocol
import Glibc
import Libc
import LocationCore

/// Listening sockets passed by the service manager (sd_listen_fds(3)).
package struct ActivatedSockets {
  /// The socket for the full protocol.
  package private(set) var location: Int32?
  package private(set) var nmea: Int32?
  package private(set) var tcp: [Int32] = []

  /// Takes the sockets that the environment names. One without a `FileDescriptorName=` is for the full protocol.
  package init(environment: [String: String], pid: pid_t = getpid(), first: Int32 = 3) throws(ListeningError) {
    for (descriptor, name) in PassedSockets.take({ environment[$0] }, pid: pid, first: first) {
      try adopt(descriptor, named: name)
    }
  }

  private mutating func adopt(_ descriptor: Int32, named name: String) throws(ListeningError) {
    switch name {
    case "nmea":
      guard nmea == nil else { throw Self.twice(name) }
      nmea = try Self.checked(descriptor, named: name, families: [AF_UNIX])
    case "tcp": tcp.append(try Self.checked(descriptor, named: name, families: [AF_INET, AF_INET6]))
    case let name where name == "location" || name == "unknown" || name.isEmpty || name.hasSuffix(".socket"):
      guard location == nil else { throw Self.twice(name) }
      location = try Self.checked(descriptor, named: name, families: [AF_UNIX])
    default:
      throw ListeningError(
        "the socket unit passes a socket named \"\(name)\"; set FileDescriptorName= to location, nmea or tcp")
    }
  }

  private static func twice(_ name: String) -> ListeningError {
    let remedy = "keep one, or set FileDescriptorName= of the other to nmea or tcp"
    return ListeningError("the socket units pass two sockets named \"\(name)\"; \(remedy)")
  }

  private static func checked(
    _ descriptor: Int32, named name: String, families: [Int32]
  ) throws(ListeningError) -> Int32 {
    guard let family = option(SO_DOMAIN, of: descriptor), families.contains(family),
      option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue), option(SO_ACCEPTCONN, of: descriptor) == 1
    else {
      let kind = families == [AF_UNIX] ? "a listening Unix stream socket" : "a listening TCP socket"
      let name = name.isEmpty ? "\(descriptor)" : name
      throw ListeningError("the socket named \"\(name)\" is not \(kind); correct ListenStream= of its socket unit")
    }
    return descriptor
  }

  private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
  }
}

/// Reports a failed start to the service manager and to the clients that wait on its sockets. While one waits, the
/// manager restarts the daemon until it gives up the socket (systemd.socket(5), `TriggerLimitBurst=`). So each waiting
/// connection is accepted, receives the error and is closed, and for a while later ones too: until then no restart.
package struct FailedStart {
  /// How long further clients are served after the first one: one start per five seconds is no load.
  package static let linger = Duration.seconds(5)

  private let environment: [String: String]
  private let sockets: [(descriptor: Int32, name: String)]

  /// `environment` is that at the start of the process.
  package init(environment: [String: String], first: Int32 = 3) {
    self.environment = environment
    sockets = PassedSockets.take({ environment[$0] }, first: first)
  }

  /// Reports the failure; returns at once if no client waits.
  package func report(_ message: String, code: ErrorCode, remedy: String?, for linger: Duration = Self.linger) {
    ServiceManager(environment: environment)?.send(.status("cannot start: \(message)"))
    // A signal ends the process at once.
    for number in [SIGTERM, SIGINT, SIGHUP] { signal(number, SIG_DFL) }
    var line = JSONLine(capacity: 512)
    ErrorReport(message: "the daemon cannot start: \(message)", code: code, remedy: remedy).write(into: &line)
    let bytes = Array(line.bytes)
    var polled = sockets.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    var deadline: MonotonicInstant?
    while true {
      let left = deadline.map { max(0, ($0 - EngineClock.machine).nanoseconds / 1_000_000) } ?? 0
      let count = poll(&polled, nfds_t(polled.count), Int32(clamping: left))
      if count < 0, errno == EINTR { continue }
      // Clients that come without a pause do not keep it.
      guard count > 0, deadline.map({ EngineClock.machine < $0 }) ?? true else { return }
      for index in polled.indices where polled[index].revents != 0 {
        if refuse(on: polled[index].fd, with: sockets[index].name == "nmea" ? [] : bytes) {
          deadline = deadline ?? EngineClock.machine + linger
        } else {
          // poll(2) ignores negative descriptors.
          polled[index].fd = -1
        }
      }
    }
  }

  /// Accepts one client and closes it again; returns whether the socket can still accept.
  private func refuse(on listener: Int32, with bytes: [UInt8]) -> Bool {
    let client = accept(listener, nil, nil)
    guard client >= 0 else { return [EAGAIN, EINTR, ECONNABORTED].contains(errno) }
    defer { close(client) }
    if !bytes.isEmpty { _ = send(client, bytes, bytes.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)) }
    shutdown(client, Int32(SHUT_WR))
    // Pending input is read first: closing a TCP connection with unread input discards what was sent.
    var input = [UInt8](repeating: 0, count: 4096)
    _ = recv(client, &input, input.count, CInt(MSG_DONTWAIT))
    return true
  }
}

/// Why the daemon cannot listen, and the remedy, in one line.
package struct ListeningError: Error, Hashable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
