import LocationCore

/// The last known position, of this or of an earlier run of the daemon. It is part of a state or an error and never
/// reported as a new position.
public struct LastKnown: Hashable, Sendable {
  /// The place.
  public var coordinate: Coordinate
  /// Time since that fix was received; `nil` if it is of an earlier run and the time since then is not known.
  public var age: Duration?
  /// UTC time of that fix.
  public var time: UTCInstant?
  /// 95 % radius of the horizontal error, metres.
  public var horizontalAccuracy: Double?
  /// Number of that fix; `nil` if it is of an earlier run.
  public var seq: UInt64?
  /// Name of the source.
  public var source: String?

  /// A last known position with these values.
  public init(
    coordinate: Coordinate, age: Duration? = nil, time: UTCInstant? = nil, horizontalAccuracy: Double? = nil,
    seq: UInt64? = nil, source: String? = nil
  ) {
    self.coordinate = coordinate
    self.age = age
    self.time = time
    self.horizontalAccuracy = horizontalAccuracy
    self.seq = seq
    self.source = source
  }

  package init(_ published: PublishedFix, age: Duration?, source: String?) {
    self.init(
      coordinate: published.fix.position, age: age, time: published.fix.measured,
      horizontalAccuracy: published.fix.horizontalAccuracy, seq: published.seq, source: source)
  }

  package init?(_ report: ErrorReport) {
    guard let latitude = report.lat, let longitude = report.lon,
      let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    self.init(
      coordinate: coordinate, age: report.age, time: report.time, horizontalAccuracy: report.eph, seq: report.seq,
      source: report.source)
  }

  /// The position in a JSON object, `nil` if it is none.
  package init?(json: [UInt8]) {
    let read = json.withUnsafeBufferPointer { bytes in
      JSONObject(bytes).flatMap { object in
        var object = object
        let read = LastKnown(&object)
        return object.fault == nil ? read : nil
      }
    }
    guard let read else { return nil }
    self = read
  }

  init?(_ object: inout JSONObject) {
    var (latitude, longitude) = (Double?.none, Double?.none)
    guard let origin = Coordinate(latitude: 0, longitude: 0) else { return nil }
    self.init(coordinate: origin)
    code(&latitude, &longitude, &object)
    guard let latitude, let longitude, let read = Coordinate(latitude: latitude, longitude: longitude) else {
      return nil
    }
    coordinate = read
  }

  private mutating func code(_ latitude: inout Double?, _ longitude: inout Double?, _ coder: inout some FieldCoder) {
    coder.field("time", &time)
    coder.field("lat", &latitude, decimals: 9, trimmed: false)
    coder.field("lon", &longitude, decimals: 9, trimmed: false)
    coder.field("eph", &horizontalAccuracy, decimals: 3)
    coder.field("seq", &seq)
    coder.field("age", &age, decimals: 3)
    coder.field("source", &source)
  }

  /// Writes the members, without braces.
  package func writeFields(into line: inout JSONLine) {
    var fields = self
    var (latitude, longitude): (Double?, Double?) = (coordinate.latitude, coordinate.longitude)
    fields.code(&latitude, &longitude, &line)
  }
}

extension LastKnown? {
  func write(into line: inout JSONLine) {
    guard let self else { return }
    line.beginObject("lastKnown")
    self.writeFields(into: &line)
    line.endObject()
  }
}
