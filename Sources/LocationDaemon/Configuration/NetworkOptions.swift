import LocationCore

/// Where NMEA comes from over the network: `tcp://192.168.1.7:10110` connects, `udp://:10110` listens.
package struct NetworkOptions: Hashable, Sendable {
  /// What phones and multiplexers use for NMEA.
  package static let defaultPort = 10_110

  /// Where to connect to, or what to listen on.
  package var address: NetworkAddress
  /// What to do with sentences that carry no checksum.
  package var checksums: ChecksumPolicy
  /// Whether dates of a receiver that lost count of 1024 weeks are moved forward.
  package var snapsRollover = false

  package init(address: NetworkAddress, checksums: ChecksumPolicy = .require) {
    self.address = address
    self.checksums = checksums
  }

  init(_ query: inout URIQuery, needsHost: Bool) throws(ConfigurationError) {
    let parts = try query.splitAuthority()
    guard parts.path.isEmpty || parts.path == "/",
      let address = NetworkAddress(parts.authority, defaultPort: Self.defaultPort),
      !needsHost || !address.host.isEmpty
    else {
      let example = needsHost ? "tcp://192.168.1.7:10110" : "udp://:10110"
      throw query.error("\"\(parts.authority)\(parts.path)\" is not HOST:PORT, for example \(example)")
    }
    self.init(address: address, checksums: try query.takeChecksumPolicy())
    snapsRollover = try query.takeRollover()
  }
}
