import LocationCore

/// A refused request (gpsd's class `ERROR`), for `?LOCATE` with the last known position.
public struct ErrorReport: Hashable, Sendable, CodedReport {
  package static let reportClass: StaticString = "ERROR"
  /// The cause and its remedy, one sentence for a person.
  public var message = ""
  /// The kind of error.
  public var code: ErrorCode?
  /// Name of the refused request.
  public var request: String?
  /// What a person can do about it.
  public var remedy: String?
  /// UTC of the last known position.
  public var time: UTCInstant?
  /// Latitude of the last known position, degrees.
  public var lat: Double?
  /// Longitude of the last known position, degrees.
  public var lon: Double?
  /// 95 % radius of the last known position, metres.
  public var eph: Double?
  /// Number of the last known fix.
  public var seq: UInt64?
  /// Time since the last known fix was received; `nil` if it is of an earlier run and the time since then is not known.
  public var age: Duration?
  /// Source of the last known fix.
  public var source: String?

  /// An error with a message.
  public init(message: String, code: ErrorCode? = nil, request: String? = nil, remedy: String? = nil) {
    self.message = message
    self.code = code
    self.request = request
    self.remedy = remedy
  }

  package init(_ error: RequestError) { self.init(message: error.message, code: .request, request: error.request) }

  package func with(_ lastKnown: LastKnown?) -> ErrorReport {
    guard let lastKnown else { return self }
    var report = self
    report.time = lastKnown.time
    report.lat = lastKnown.coordinate.latitude
    report.lon = lastKnown.coordinate.longitude
    report.eph = lastKnown.horizontalAccuracy
    report.seq = lastKnown.seq
    report.age = lastKnown.age
    report.source = lastKnown.source
    return report
  }

  package init() {}

  package mutating func code(_ coder: inout some FieldCoder) {
    coder.field("message", &message)
    coder.field("code", &code)
    coder.field("request", &request)
    coder.field("remedy", &remedy)
    coder.field("time", &time)
    coder.field("lat", &lat, decimals: 9, trimmed: false)
    coder.field("lon", &lon, decimals: 9, trimmed: false)
    coder.field("eph", &eph, decimals: 3)
    coder.field("seq", &seq)
    coder.field("age", &age, decimals: 3)
    coder.field("source", &source)
  }
}
