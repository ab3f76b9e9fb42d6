/// A refused request (gpsd's class `ERROR`), for `?LOCATE` with the last known position.
public struct ErrorReport: Hashable, Codable, Sendable, CodedReport {
  package static let reportClass: StaticString = "ERROR"
  /// The cause and its remedy, one sentence for a person.
  public var message = ""
  /// The kind of error.
  public var code: ErrorCode?
  /// Name of the refused request.
  public var request: String?
  /// What a person can do about it.
  public var remedy: String?
  /// The last known position, if no fix came in time.
  public var lastKnown: LastKnown?

  /// An error with a message.
  public init(
    message: String, code: ErrorCode? = nil, request: String? = nil, remedy: String? = nil, lastKnown: LastKnown? = nil
  ) {
    self.message = message
    self.code = code
    self.request = request
    self.remedy = remedy
    self.lastKnown = lastKnown
  }

  package init(_ error: RequestError) { self.init(message: error.message, code: .request, request: error.request) }

  package init() {}

  package mutating func fields(_ coder: inout some FieldCoder) {
    coder.field("message", &message)
    coder.field("code", &code)
    coder.field("request", &request)
    coder.field("remedy", &remedy)
    LastKnown.fields(&lastKnown, &coder)
  }
}

/// The kind of an error, for a program.
public typealias ErrorCode = OpenName<ErrorReport>

extension OpenName<ErrorReport> {
  /// A mistake in a request.
  public static var request: Self { Self("request") }
  /// A request that this connection may not make.
  public static var forbidden: Self { Self("forbidden") }
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
  /// There is no course.
  public static var noCourse: Self { Self("noCourse") }
  /// No sensor has sent a reading.
  public static var noSensor: Self { Self("noSensor") }
  /// No target is set.
  public static var noTarget: Self { Self("noTarget") }
  /// No trip has been started.
  public static var noTrip: Self { Self("noTrip") }
}
