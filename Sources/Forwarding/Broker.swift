import LocationCore

package struct Broker: Hashable, Sendable {
  package let address: NetworkAddress
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
    let parts = url.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == "mqtt" || parts[0] == "mqtts" else {
      throw BrokerError(description: "the broker must be mqtt://HOST[:PORT] or mqtts://HOST[:PORT]")
    }
    guard !parts[1].contains("@") else {
      throw BrokerError(
        description: "every user can see a password in the URL: use --user and --password-file")
    }
    isEncrypted = parts[0] == "mqtts"
    let authority = parts[1].last == "/" ? parts[1].dropLast() : parts[1]
    guard let address = NetworkAddress(authority, defaultPort: isEncrypted ? 8883 : 1883), !address.host.isEmpty,
      address.host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") })
    else { throw BrokerError(description: "the broker's address must be HOST, HOST:PORT or [IPV6]:PORT") }
    self.address = address
  }
}

package struct BrokerError: Error, Hashable, CustomStringConvertible {
  package let description: String
}
