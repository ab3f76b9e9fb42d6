import LocationCore

/// A refused request (gpsd's class `ERROR`), for `?LOCATE` with the last known position.
public struct ErrorReport: Hashable, Sendable {
  /// The cause and its remedy, one sentence for a person.
  public var message: String
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
  /// Time since the last known fix was received.
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

  init(_ object: inout JSONObject) {
    message = object.required("message", object.string("message"), or: "")
    code = object.name("code")
    request = object.string("request")
    remedy = object.string("remedy")
    time = object.time("time")
    lat = object.double("lat")
    lon = object.double("lon")
    eph = object.double("eph")
    seq = object.integer("seq")
    age = object.duration("age")
    source = object.string("source")
  }

  /// The answer to a malformed request.
  package init(_ error: RequestError) {
    self.init(message: error.message, code: .request, request: error.request)
  }

  /// The report with the last known position and its age.
  package func lastKnown(_ published: PublishedFix, age: Duration, source: String?) -> ErrorReport {
    var report = self
    report.time = published.fix.measured
    report.lat = published.fix.position.latitude
    report.lon = published.fix.position.longitude
    report.eph = published.fix.horizontalAccuracy
    report.seq = published.seq
    report.age = age
    report.source = source
    return report
  }

  /// Writes the whole line.
  package func write(into line: inout JSONLine) {
    line.begin("ERROR")
    line.field("message", message)
    line.field("code", code?.rawValue)
    line.field("request", request)
    line.field("remedy", remedy)
    line.field("time", time)
    line.field("lat", lat, decimals: 9, trimmed: false)
    line.field("lon", lon, decimals: 9, trimmed: false)
    line.field("eph", eph, decimals: 3)
    line.field("seq", seq)
    line.field("age", age, decimals: 3)
    line.field("source", source)
    line.end()
  }
}
