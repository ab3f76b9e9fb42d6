import LocationCore

/// A writer of rides as CSV: a header with names and units, then a row per fix. An unknown value is an empty field.
package struct CSVWriter: TrackWriter {
  package var bytes: [UInt8] = []

  package static let header: StaticString = """
    time_utc,lat_deg,lon_deg,alt_msl_m,geoid_separation_m,speed_m_s,course_deg,fix,sat_used,hdop,vdop,pdop,\
    horizontal_accuracy_95_m,vertical_accuracy_95_m,segment,distance_m

    """

  private static let longestRow = 512

  private var segment = 1
  private var isSegmentEmpty = true
  private var last: (position: Coordinate, cartesian: EarthCentered)?
  private var distance = 0.0

  package init() { bytes.append(Self.header) }

  /// Writes a row. `distance_m` is the distance along the fixes so far, without the gaps between segments.
  package mutating func take(_ fix: Fix) {
    let cartesian = EarthCentered(fix.position)
    if let last { distance += fix.position.distance(to: last.position, cartesian, last.cartesian) }
    last = (fix.position, cartesian)
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

  package mutating func endSegment() {
    last = nil
    guard !isSegmentEmpty else { return }
    isSegmentEmpty = true
    segment += 1
  }

  /// Writes nothing: a table has neither an end nor a route.
  package mutating func finish(route: [Fix]) {}
}

extension TextCursor {
  /// Writes a column, empty without a finite number.
  @inline(__always)
  fileprivate mutating func put(column value: Double?, decimals: Int) {
    put(UInt8(ascii: ","))
    if let value, value.isFinite { put(fixed: value, decimals: decimals) }
  }
}
