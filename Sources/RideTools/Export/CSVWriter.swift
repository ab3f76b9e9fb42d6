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

  /// More bytes than a row can have.
  private static let longestRow = 512

  private var segment = 1
  private var isSegmentEmpty = true
  private var last: (position: Coordinate, place: EarthCentered)?
  private var distance = 0.0

  /// An empty table.
  package init() {
    bytes.append(Self.header)
  }

  /// Writes the next row. `distance_m` is the way along the fixes so far; over a loss nothing is added.
  package mutating func take(_ fix: Fix) {
    let place = EarthCentered(fix.position)
    if let last { distance += fix.position.distance(to: last.position, place, last.place) }
    last = (fix.position, place)
    isSegmentEmpty = false
    let (segment, distance) = (segment, distance)
    bytes.append(atMost: Self.longestRow) { text in
      if let measured = fix.measured { text.put(iso8601: measured) }
      text.put(column: fix.position.latitude, decimals: 9)
      text.put(column: fix.position.longitude, decimals: 9)
      text.put(column: fix.altitudeMSL, decimals: 3)
      text.put(column: fix.geoidSeparation, decimals: 3)
      text.put(column: fix.speed, decimals: 3)
      text.put(column: fix.course, decimals: 2)
      text.put(fix.mode == .threeD ? ",3d," : ",2d,")
      if let satellites = fix.satellitesUsed { text.put(decimal: Int64(satellites)) }
      text.put(column: fix.hdop, decimals: 2)
      text.put(column: fix.vdop, decimals: 2)
      text.put(column: fix.pdop, decimals: 2)
      text.put(column: fix.horizontalAccuracy, decimals: 3)
      text.put(column: fix.verticalAccuracy, decimals: 3)
      text.put(UInt8(ascii: ","))
      text.put(decimal: Int64(segment))
      text.put(column: distance, decimals: 3)
      text.put(UInt8(ascii: "\n"))
    }
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
}

extension TextCursor {
  /// Writes a column with a number; an empty one if that is none.
  @inline(always)
  fileprivate mutating func put(column value: Double?, decimals: Int) {
    put(UInt8(ascii: ","))
    if let value, value.isFinite { put(fixed: value, decimals: decimals) }
  }
}
