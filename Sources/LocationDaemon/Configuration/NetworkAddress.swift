/// A host and a port, as in `localhost:2947`, `[::1]:2947` or `:10110`.
package struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
  /// A name or an address without brackets; empty means every address of this machine.
  package var host: String
  /// 1 to 65535.
  package var port: Int

  package init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// Reads `HOST:PORT`; a port that is left out is `defaultPort`. `nil` for anything else.
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
      // Two colons without brackets are an address of IP version 6 whose port cannot be told.
      guard !host.utf8.contains(UInt8(ascii: ":")) else { return nil }
    }
    guard let port = portText.map({ Int($0) ?? 0 }) ?? defaultPort, (1...65_535).contains(port) else { return nil }
    self.init(host: String(host), port: port)
  }

  package var description: String {
    host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}
