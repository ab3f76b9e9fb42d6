import LocationCore

/// Options of a gpsd: `gpsd://localhost:2947`, or one of its receivers as `gpsd://localhost:2947/dev/ttyUSB0`.
package struct GPSDOptions: Hashable, Sendable {
  package static let defaultPort = 2947

  package var address: NetworkAddress
  /// The receiver to read; `nil` reads whichever has a fix.
  package var receiver: String?
}

extension GPSDOptions: SourceKind {
  package var scheme: String { "gpsd" }
  package var device: String { receiver ?? "gpsd://\(address)" }
  package var form: SourceSetup.Form { .reports }

  package func source(_ inlet: SourceInlet, in workshop: SourceWorkshop) -> any ReceiverSource {
    GPSDSource(self, into: inlet, serialLines: workshop.serialLines)
  }

  init(_ query: inout URIQuery) throws(ConfigurationError) {
    let parts = try query.splitAuthority()
    guard let address = NetworkAddress(parts.authority, defaultPort: Self.defaultPort) else {
      throw query.error("\"\(parts.authority)\" is not HOST or HOST:PORT, for example gpsd://localhost:2947")
    }
    self.init(
      address: NetworkAddress(host: address.host.isEmpty ? "localhost" : address.host, port: address.port),
      receiver: parts.path.isEmpty || parts.path == "/" ? nil : parts.path)
  }
}
