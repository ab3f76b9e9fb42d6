import LocationCore
import Recordings

/// A writer of rides as TCX activities: a lap with its distance and moving time, a track for each stretch without a loss,
/// a point per fix. Heart rate and cadence are the points', speed and power in Garmin's ActivityExtension v2. Fixes
/// without a date are left out.
package struct TCXWriter: RideWriter {
  package static let name = "TCX"
  package static let help = "Write a TCX activity, with a track per lap."
  package static let features: Set<ExportFeature> = [.activity, .survey]

  package var bytes: [UInt8] = []
  private let survey: RideSurvey
  private var ride = RideAccumulator()
  private var distance = 0.0
  private var laps = 0
  private var lapStart: UTCInstant?
  private var last: UTCInstant?
  private var isInTrack = false

  /// A writer of a ride that was surveyed: the sums of a lap precede its tracks.
  package init(_ options: ExportOptions, _ survey: RideSurvey) { self.survey = survey }

  package mutating func add(_ moment: RideMoment) {
    ride.add(moment)
    if case .lap = moment, let last, last != lapStart {
      endTrack()
      bytes.append("</Lap>\n")
      beginLap(at: last)
    }
    guard case .fix(let trackFix) = moment, let time = trackFix.fix.measured else { return }
    if trackFix.beginsSegment { endTrack() }
    if lapStart == nil { begin(at: time) }
    distance = max(distance, ride.figures.distance)
    last = time
    if !isInTrack { bytes.append("<Track>\n") }
    isInTrack = true
    point(trackFix.fix, trackFix.sensed.rider, at: time)
  }

  package mutating func finish(route: [Fix]) {
    guard last != nil else { return }
    endTrack()
    bytes.append("</Lap>\n</Activity>\n</Activities>\n</TrainingCenterDatabase>\n")
  }

  private mutating func begin(at start: UTCInstant) {
    let head = """
      <?xml version="1.0" encoding="UTF-8"?>
      <TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2">
      <Activities>
      <Activity Sport="Biking">
      <Id>\(String(iso8601: start))</Id>

      """
    bytes.append(contentsOf: head.utf8)
    beginLap(at: start)
  }

  private mutating func endTrack() {
    if isInTrack { bytes.append("</Track>\n") }
    isInTrack = false
  }

  private mutating func beginLap(at start: UTCInstant) {
    let lap = survey.lap(laps)
    laps += 1
    lapStart = start
    bytes.append(contentsOf: "<Lap StartTime=\"\(String(iso8601: start))\">".utf8)
    bytes.append(element: "TotalTimeSeconds", lap.movingTime, decimals: 3)
    bytes.append(element: "DistanceMeters", lap.distance, decimals: 2)
    // The schema requires the energy.
    bytes.append("<Calories>0</Calories><Intensity>Active</Intensity><TriggerMethod>")
    bytes.append(lap.trigger == .place ? "Location" : "Manual")
    bytes.append("</TriggerMethod>\n")
  }

  private mutating func point(_ fix: Fix, _ rider: SensorValues, at time: UTCInstant) {
    bytes.append("<Trackpoint><Time>")
    bytes.append(iso8601: time)
    bytes.append("</Time><Position>")
    bytes.append(element: "LatitudeDegrees", fix.position.latitude, decimals: 9)
    bytes.append(element: "LongitudeDegrees", GPXWriter.below180(fix.position.longitude), decimals: 9)
    bytes.append("</Position>")
    bytes.append(element: "AltitudeMeters", fix.altitudeMSL, decimals: 3)
    bytes.append(element: "DistanceMeters", distance, decimals: 2)
    if let rate = rider.heartRate {
      bytes.append(element: "HeartRateBpm") { $0.append(element: "Value", Double(rate), decimals: 0) }
    }
    // A byte in the schema.
    bytes.append(element: "Cadence", rider.cadence.map { Double(min($0, 254)) }, decimals: 0)
    if fix.speed != nil || rider.power != nil {
      bytes.append("<Extensions><TPX xmlns=\"http://www.garmin.com/xmlschemas/ActivityExtension/v2\">")
      bytes.append(element: "Speed", fix.speed, decimals: 3)
      bytes.append(element: "Watts", rider.power.map { Double($0) }, decimals: 0)
      bytes.append("</TPX></Extensions>")
    }
    bytes.append("</Trackpoint>\n")
  }
}
