/// Which gpsd to read: `gpsd://localhost:2947`, or with one of its receivers `gpsd://localhost:2947/dev/ttyUSB0`.
package struct GPSDOptions: Hashable, Sendable {
  /// gpsd's port at the IANA.
  package static let defaultPort = 2947

  /// Where gpsd listens.
  package var address: NetworkAddress
  /// The receiver to read when gpsd has several; `nil` reads the one that has a fix.
  package var device: String?

  package init(address: NetworkAddress, device: String? = nil) {
    self.address = address
    self.device = device
  }

  init(_ query: inout URIQuery) throws(ConfigurationError) {
    let parts = try query.splitAuthority()
    guard let address = NetworkAddress(parts.authority, defaultPort: Self.defaultPort) else {
      throw query.error("\"\(parts.authority)\" is not HOST or HOST:PORT, for example gpsd://localhost:2947")
    }
    self.init(
      address: NetworkAddress(host: address.host.isEmpty ? "localhost" : address.host, port: address.port),
      device: parts.path.isEmpty || parts.path == "/" ? nil : parts.path)
  }
}

extension URIQuery {
  /// Splits `//authority/path`.
  func splitAuthority() throws(ConfigurationError) -> (authority: String, path: String) {
    guard path.hasPrefix("//") else {
      throw error("the address goes behind two slashes, for example gpsd://localhost:2947")
    }
    let rest = path.dropFirst(2)
    guard let slash = rest.firstIndex(of: "/") else { return (String(rest), "") }
    return (String(rest[..<slash]), String(rest[slash...]))
  }
}
