import LocationCore
import Recordings

/// A writer of rides as CSV: a header with names and units, then a row per fix. An unknown value is an empty field.
package struct CSVWriter: TrackWriter {
  package static let name = "CSV"
  package static let help = "Write CSV: a header with units, then a row per fix."
  package static let features: Set<ExportFeature> = [.simplification, .survey]

  package var bytes: [UInt8] = []

  package static let header: StaticString = """
    time_utc,lat_deg,lon_deg,alt_msl_m,geoid_separation_m,speed_m_s,course_deg,fix,sat_used,hdop,vdop,pdop,\
    horizontal_accuracy_95_m,vertical_accuracy_95_m,segment,distance_m
    """
  static let sensorColumns: StaticString = ",heart_rate_1_min,cadence_1_min,power_w,temperature_c"
  static let fusedColumns: StaticString = ",wheel_speed_m_s,alt_fused_m,grade_percent"

  private let hasSensors: Bool
  private let hasFused: Bool
  private var segment = 1
  private var last: (position: Coordinate, cartesian: EarthCentered)?
  private var distance = 0.0

  package init(_ options: ExportOptions, _ survey: RideSurvey) {
    (hasSensors, hasFused) = (!survey.ride.figures.sensors.isEmpty, survey.hasFused.motion)
    bytes.append(Self.header)
    if hasSensors { bytes.append(Self.sensorColumns) }
    if hasFused { bytes.append(Self.fusedColumns) }
    bytes.append("\n")
  }

  /// Writes a row. `distance_m` is the distance along the fixes so far, without the gaps between segments.
  package mutating func add(_ trackFix: TrackFix) {
    let (fix, rider, fused) = (trackFix.fix, trackFix.sensed.rider, trackFix.sensed.fused)
    let cartesian = EarthCentered(fix.position)
    if let last { distance += fix.position.distance(to: last.position, cartesian, last.cartesian) }
    last = (fix.position, cartesian)
    if let measured = fix.measured { bytes.append(iso8601: measured) }
    columns(9, fix.position.latitude, fix.position.longitude)
    columns(3, fix.altitudeMSL, fix.geoidSeparation, fix.speed)
    columns(2, fix.course)
    bytes.append(fix.mode == .threeD ? ",3d" : ",2d")
    columns(0, fix.satellitesUsed.map(Double.init))
    columns(2, fix.hdop, fix.vdop, fix.pdop)
    columns(3, fix.horizontalAccuracy, fix.verticalAccuracy)
    columns(0, Double(segment))
    columns(3, distance)
    if hasSensors {
      columns(0, rider.heartRate.map(Double.init), rider.cadence.map(Double.init), rider.power.map(Double.init))
      columns(1, rider.temperature)
    }
    if hasFused {
      columns(3, fused.wheelSpeed.map(Double.init))
      columns(2, fused.altitude.map(Double.init), fused.grade.map(Double.init))
    }
    bytes.append("\n")
  }

  package mutating func endSegment() {
    if last != nil { segment += 1 }
    last = nil
  }

  /// Writes nothing: a table has neither an end nor a route.
  package mutating func finish(route: [Fix]) {}

  /// Writes columns with so many decimals; one without a finite number is empty.
  private mutating func columns(_ decimals: Int, _ values: Double?...) {
    for value in values {
      bytes.append(",")
      if let value, value.isFinite { bytes.append(fixed: value, decimals: decimals) }
    }
  }
}
