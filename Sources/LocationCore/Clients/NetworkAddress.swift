/// A host and a port: `localhost:2947`, `[::1]:2947` or `:10110`.
package struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
  /// A name, or an IP address without brackets; empty for all addresses of this machine.
  package var host: String
  package var port: Int

  package init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// Parses `HOST:PORT`, or `HOST` if there is a default port; `nil` for anything else.
  package init?(_ text: some StringProtocol, defaultPort: Int? = nil, ports: ClosedRange<Int> = 1...65_535) {
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
    func number(_ digits: Substring) -> Int { digits.first?.isNumber == true ? Int(digits) ?? -1 : -1 }
    guard let port = portText.map(number) ?? defaultPort, ports.contains(port) else { return nil }
    self.init(host: String(host), port: port)
  }

  package var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
  package var isIPv6: Bool { host.utf8.contains(UInt8(ascii: ":")) }
  package var isLocal: Bool {
    host.isEmpty || host == "localhost" || host == "::1" || host.hasPrefix("127.")
  }
}
