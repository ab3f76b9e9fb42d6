import Glibc

/// The listening sockets that the service manager opened for this process and handed over (sd_listen_fds(3)).
package struct ActivatedSockets {
  /// Why what was handed over cannot be served.
  package enum Failure: Error, Hashable, CustomStringConvertible {
    /// No use is known for a socket of that name.
    case unknownName(String)
    /// Two for one purpose.
    case twice(String)
    /// Not the kind of socket that the name stands for.
    case wrongKind(name: String, wanted: String)

    package var description: String {
      switch self {
      case .unknownName(let name):
        "the socket unit hands over a socket named \"\(name)\"; FileDescriptorName= is location, nmea or tcp"
      case .twice(let name):
        "the socket units hand over two sockets named \"\(name)\"; keep one, or set FileDescriptorName= of the other to nmea or tcp"
      case .wrongKind(let name, let wanted):
        "the socket handed over as \"\(name)\" is not \(wanted); correct ListenStream= of its socket unit"
      }
    }
  }

  /// For clients of the whole protocol.
  package private(set) var location: Int32?
  /// For readers of sentences.
  package private(set) var nmea: Int32?
  /// For gpsd's own clients.
  package private(set) var tcp: [Int32] = []

  /// No sockets.
  package init() {}

  /// Takes over what the variables name; children of this process get none of it.
  ///
  /// A socket without a name of its own (`FileDescriptorName=` is not set) is for the whole protocol.
  package init(environment: [String: String], pid: pid_t = getpid(), first: Int32 = 3) throws(Failure) {
    for (descriptor, name) in Self.handedOver(environment: environment, pid: pid, first: first) {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      let flags = fcntl(descriptor, F_GETFL)
      if flags >= 0 { _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
      try take(descriptor, named: name)
    }
  }

  /// What the variables say was handed over to this process, each with the name that its unit gives it.
  static func handedOver(
    environment: [String: String], pid: pid_t = getpid(), first: Int32 = 3
  ) -> [(descriptor: Int32, name: String)] {
    guard environment["LISTEN_PID"].flatMap({ pid_t($0) }) == pid,
      let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), (1...64).contains(count)
    else { return [] }
    let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
    return (0..<count).map { index in
      let place = Int(index)
      return (first + index, names.indices.contains(place) ? String(names[place]) : "")
    }
  }

  private mutating func take(_ descriptor: Int32, named name: String) throws(Failure) {
    switch name {
    case "nmea":
      guard nmea == nil else { throw .twice(name) }
      nmea = try Self.checked(descriptor, named: name, families: [AF_UNIX])
    case "tcp":
      tcp.append(try Self.checked(descriptor, named: name, families: [AF_INET, AF_INET6]))
    case let name where name == "location" || name == "unknown" || name.isEmpty || name.hasSuffix(".socket"):
      guard location == nil else { throw .twice(name) }
      location = try Self.checked(descriptor, named: name, families: [AF_UNIX])
    default: throw .unknownName(name)
    }
  }

  private static func checked(_ descriptor: Int32, named name: String, families: [Int32]) throws(Failure) -> Int32 {
    guard let family = option(SO_DOMAIN, of: descriptor), families.contains(family),
      option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue), option(SO_ACCEPTCONN, of: descriptor) == 1
    else {
      let kind = families == [AF_UNIX] ? "a listening Unix stream socket" : "a listening TCP socket"
      throw .wrongKind(name: name.isEmpty ? "\(descriptor)" : name, wanted: kind)
    }
    return descriptor
  }

  private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
  }
}
