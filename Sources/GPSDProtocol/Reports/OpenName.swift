/// A name of a set that later releases may extend. The names of this release are static members; any other is kept as
/// it is. `Names` distinguishes the sets.
public struct OpenName<Names>: RawRepresentable, CustomStringConvertible, Hashable, Codable, Sendable {
  /// The name on the wire.
  public let rawValue: String

  /// The name that is on the wire.
  public init(rawValue name: String) { rawValue = name }
  package init(_ name: String) { rawValue = name }

  /// The name on the wire.
  public var description: String { rawValue }
}

/// The kind of an error, for a program.
public typealias ErrorCode = OpenName<ErrorReport>

extension OpenName<ErrorReport> {
  /// A mistake in a request.
  public static var request: Self { Self("request") }
  /// A request that this connection may not make.
  public static var forbidden: Self { Self("forbidden") }
  /// No target is set.
  public static var noTarget: Self { Self("noTarget") }
  /// No trip has been started.
  public static var noTrip: Self { Self("noTrip") }
  /// There is no course.
  public static var noCourse: Self { Self("noCourse") }
  /// No fix in time.
  public static var timedOut: Self { Self("timedOut") }
  /// Permission for the device is missing.
  public static var denied: Self { Self("denied") }
  /// There is no such device.
  public static var notFound: Self { Self("notFound") }
  /// Another process holds the device.
  public static var busy: Self { Self("busy") }
  /// The source is switched off on purpose.
  public static var disabled: Self { Self("disabled") }
  /// The source is temporarily unavailable.
  public static var unavailable: Self { Self("unavailable") }
  /// The configuration is invalid.
  public static var misconfigured: Self { Self("misconfigured") }
  /// Bytes arrive without an NMEA sentence.
  public static var noNMEA: Self { Self("noNMEA") }
  /// The daemon serves as many clients as it admits.
  public static var tooManyClients: Self { Self("tooManyClients") }
  /// The daemon is stopping.
  public static var stopping: Self { Self("stopping") }
}
