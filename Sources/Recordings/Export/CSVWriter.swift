import LocationCore

/// Writes a ride as comma-separated values: a header that names each column and its unit, then a row per fix.
/// An unknown value is an empty field.
package struct CSVWriter: TrackWriter {
  /// What has been written; the owner takes it away now and then.
  package var bytes: [UInt8] = []

  /// The first line.
  package static let header: StaticString = """
    time_utc,lat_deg,lon_deg,alt_msl_m,geoid_separation_m,speed_m_s,course_deg,fix,sat_used,hdop,vdop,pdop,\
    horizontal_accuracy_95_m,vertical_accuracy_95_m,segment,distance_m

    """

  private var segment = 1
  private var isSegmentEmpty = true
  private var last: Coordinate?
  private var distance = 0.0

  /// An empty table.
  package init() {
    bytes.append(Self.header)
  }

  /// Writes the next row. `distance_m` is the way along the fixes so far; over a loss nothing is added.
  package mutating func take(_ fix: borrowing Fix) {
    if let last { distance += fix.position.distance(to: last) }
    last = fix.position
    isSegmentEmpty = false
    if let measured = fix.measured { bytes.append(iso8601: measured) }
    number(fix.position.latitude, decimals: 9)
    number(fix.position.longitude, decimals: 9)
    number(fix.altitudeMSL, decimals: 3)
    number(fix.geoidSeparation, decimals: 3)
    number(fix.speed, decimals: 3)
    number(fix.course, decimals: 2)
    bytes.append(fix.mode == .threeD ? ",3d" : ",2d")
    comma()
    if let satellites = fix.satellitesUsed { bytes.append(decimal: Int64(satellites)) }
    number(fix.hdop, decimals: 2)
    number(fix.vdop, decimals: 2)
    number(fix.pdop, decimals: 2)
    number(fix.horizontalAccuracy, decimals: 3)
    number(fix.verticalAccuracy, decimals: 3)
    comma()
    bytes.append(decimal: Int64(segment))
    number(distance, decimals: 3)
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Ends the segment; the next row has the next number.
  package mutating func endSegment() {
    last = nil
    guard !isSegmentEmpty else { return }
    isSegmentEmpty = true
    segment += 1
  }

  /// A table has no end, and no room for a route.
  package mutating func finish(route: [Fix]) {}

  private mutating func comma() {
    bytes.append(UInt8(ascii: ","))
  }

  private mutating func number(_ value: Double?, decimals: Int) {
    comma()
    if let value, value.isFinite { bytes.append(fixed: value, decimals: decimals) }
  }
}
