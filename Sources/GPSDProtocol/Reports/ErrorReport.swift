import LocationCore

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

  package func with(_ lastKnown: LastKnown?) -> ErrorReport {
    var report = self
    report.lastKnown = lastKnown
    return report
  }

  package init() {}

  package mutating func code(_ coder: inout some FieldCoder) {
    coder.field("message", &message)
    coder.field("code", &code)
    coder.field("request", &request)
    coder.field("remedy", &remedy)
    LastKnown.code(&lastKnown, &coder)
  }
}
