/// A set of names that later releases may extend. Every name is a case; one that this release does not know is
/// `unknown`.
public protocol OpenName: RawRepresentable<String>, ExpressibleByStringLiteral, CustomStringConvertible, Hashable,
  Sendable
{
  /// The case of a name on the wire.
  init(rawValue name: String)
}

extension OpenName {
  /// The case of a name on the wire.
  public init(stringLiteral name: String) { self.init(rawValue: name) }

  /// The name on the wire.
  public var description: String { rawValue }
}

/// The kind of an error, for a program.
public enum ErrorCode: OpenName {
  /// A mistake in a request.
  case request
  /// A request that this connection may not make.
  case forbidden
  /// No target is set.
  case noTarget
  /// No fix in time.
  case timedOut
  /// Permission for the device is missing.
  case denied
  /// There is no such device.
  case notFound
  /// Another process holds the device.
  case busy
  /// The source is switched off on purpose.
  case disabled
  /// The source is temporarily unavailable.
  case unavailable
  /// The configuration is invalid.
  case misconfigured
  /// Bytes arrive without an NMEA sentence.
  case noNMEA
  /// The daemon serves as many clients as it admits.
  case tooManyClients
  /// The daemon is stopping.
  case stopping
  /// A name unknown to this release.
  case unknown(String)

  private static let known: [Self] = [
    .request, .forbidden, .noTarget, .timedOut, .denied, .notFound, .busy, .disabled, .unavailable, .misconfigured,
    .noNMEA, .tooManyClients, .stopping,
  ]

  /// The case of a name on the wire.
  public init(rawValue name: String) {
    self = Self.known.first { $0.rawValue == name } ?? .unknown(name)
  }

  /// The name on the wire.
  public var rawValue: String {
    switch self {
    case .request: "request"
    case .forbidden: "forbidden"
    case .noTarget: "noTarget"
    case .timedOut: "timedOut"
    case .denied: "denied"
    case .notFound: "notFound"
    case .busy: "busy"
    case .disabled: "disabled"
    case .unavailable: "unavailable"
    case .misconfigured: "misconfigured"
    case .noNMEA: "noNMEA"
    case .tooManyClients: "tooManyClients"
    case .stopping: "stopping"
    case .unknown(let name): name
    }
  }
}
