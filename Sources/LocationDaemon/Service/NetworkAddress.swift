import NIOCore

/// A host and a port: `localhost:2947`, `[::1]:2947` or `:10110`.
package struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
  /// A name, or an IP address without brackets; empty for all addresses of this machine.
  package var host: String
  /// 1 to 65535.
  package var port: Int
}

extension NetworkAddress {
  /// Parses `HOST:PORT`, or `HOST` if there is a default port; `nil` for anything else.
  package init?(_ text: some StringProtocol, defaultPort: Int? = nil) {
    var host = Substring(text)
    var portText: Substring?
    if host.first == "[" {
      guard let end = host.firstIndex(of: "]") else { return nil }
      let rest = host[host.index(after: end)...]
      guard rest.isEmpty || rest.first == ":" else { return nil }
      portText = rest.isEmpty ? nil : rest.dropFirst()
      host = host[host.index(after: host.startIndex)..<end]
    } else if let colon = host.lastIndex(of: ":") {
      portText = host[host.index(after: colon)...]
      host = host[..<colon]
      // An IPv6 address without brackets is ambiguous.
      guard !host.utf8.contains(UInt8(ascii: ":")) else { return nil }
    }
    guard let port = portText.map({ Int($0) ?? 0 }) ?? defaultPort, (1...65_535).contains(port) else { return nil }
    self.init(host: String(host), port: port)
  }

  /// The address of an IP socket; `nil` for any other.
  init?(_ address: SocketAddress?) {
    guard let address, let host = address.ipAddress, let port = address.port else { return nil }
    self.init(host: host, port: port)
  }

  package var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
  /// The socket address if no name has to be resolved; `localhost` is 127.0.0.1.
  var literal: SocketAddress? { try? SocketAddress(ipAddress: host == "localhost" ? "127.0.0.1" : host, port: port) }
  var isIPv6: Bool { host.utf8.contains(UInt8(ascii: ":")) }
  var isLocal: Bool { host.isEmpty || host == "localhost" || host == "::1" || host.hasPrefix("127.") }
}
