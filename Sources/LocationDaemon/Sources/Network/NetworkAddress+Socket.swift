import NIOCore

extension NetworkAddress {
  /// The socket address when no name has to be looked up; `localhost` is 127.0.0.1.
  var literal: SocketAddress? {
    try? SocketAddress(ipAddress: host == "localhost" ? "127.0.0.1" : host, port: port)
  }

  /// Whether it is this machine.
  var isLocal: Bool {
    host.isEmpty || host == "localhost" || host == "::1" || host.hasPrefix("127.")
  }
}
