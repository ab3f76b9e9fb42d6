package struct Broker: Hashable, Sendable {
  package var host: String
  package var port: UInt16
  /// Whether the connection is encrypted and the broker's certificate is verified (`mqtts`).
  package var isEncrypted: Bool
  /// File with the certificates of authorities; `nil` for the system's.
  package var authorities: String?
  package var certificate: String?
  package var key: String?
  package var user: String?
  package var password: String?

  /// A broker by `mqtt://HOST[:PORT]` or `mqtts://HOST[:PORT]`; the standard ports are 1883 and 8883.
  package init(url: String) throws(BrokerError) {
    let (scheme, separator, rest) = Self.split(url[...], at: "://")
    guard separator, scheme == "mqtt" || scheme == "mqtts" else { throw .scheme }
    guard !rest.contains("@") else { throw .credentials }
    isEncrypted = scheme == "mqtts"
    let authority = rest.last == "/" ? rest.dropLast() : rest
    var (name, hasPort, port) = Self.split(authority, at: ":")
    if authority.first == "[" {
      let (address, isClosed, end) = Self.split(authority.dropFirst(), at: "]")
      guard isClosed, end.isEmpty || end.first == ":" else { throw .address }
      (name, hasPort, port) = (address, !end.isEmpty, end.dropFirst())
    }
    let number = hasPort ? UInt16(port) : isEncrypted ? 8883 : 1883
    guard let number, number > 0, !name.isEmpty,
      name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") })
    else { throw .address }
    host = String(name)
    self.port = number
  }

  package var address: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

  private static func split(
    _ text: Substring, at separator: String
  ) -> (head: Substring, isFound: Bool, tail: Substring) {
    guard let range = text.firstRange(of: separator) else { return (text, false, "") }
    return (text[..<range.lowerBound], true, text[range.upperBound...])
  }
}

package enum BrokerError: Error, Hashable, Sendable, CustomStringConvertible {
  case scheme, credentials, address

  package var description: String {
    switch self {
    case .scheme: "the broker must be mqtt://HOST[:PORT] or mqtts://HOST[:PORT]"
    case .credentials: "every user can see a password in the URL: use --user and --password-file"
    case .address: "the broker's address must be HOST, HOST:PORT or [IPV6]:PORT"
    }
  }
}
