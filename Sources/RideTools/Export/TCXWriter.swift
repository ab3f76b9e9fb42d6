import LocationCore
import Recordings

/// A writer of rides as TCX activities: a lap with its distance and moving time, a track for each stretch without a loss,
/// a point per fix. Heart rate and cadence are the points', speed and power in Garmin's ActivityExtension v2. Fixes
/// without a date are left out.
package struct TCXWriter: RideWriter {
  package static let name = "TCX"
  package static let help = "Write a TCX activity, with a track per lap."
  package static let features: Set<ExportFeature> = [.activity]

  /// Where a lap begins, and its sums there.
  private struct Mark {
    var time: UTCInstant
    var distance = 0.0
    var movingTime = 0.0
  }

  package var bytes: [UInt8] = []
  private let survey: RideSurvey
  private var ride = RideAccumulator()
  private var distance = 0.0
  private var hasBegun = false
  private var lap: Mark?
  private var last: Mark?
  /// The tracks of the lap: its sums precede them.
  private var tracks: [UInt8] = []
  private var isInTrack = false

  package init(_ options: ExportOptions, _ survey: RideSurvey) { self.survey = survey }

  package mutating func add(_ moment: RideMoment) {
    ride.add(moment)
    if case .lap(let trigger, _) = moment, let last, last.time != lap?.time {
      write(lapTo: last, trigger: trigger == .place ? "Location" : "Manual")
      lap = last
    }
    guard case .fix(let trackFix) = moment, let time = trackFix.fix.measured else { return }
    if trackFix.beginsSegment { endTrack() }
    distance = max(distance, ride.figures.distance)
    last = Mark(time: time, distance: distance, movingTime: survey.stops.movingTime(at: ride.elapsed))
    lap = lap ?? Mark(time: time)
    if !hasBegun { begin(at: time) }
    if !isInTrack { tracks.append("<Track>\n") }
    isInTrack = true
    point(trackFix.fix, trackFix.sensed.rider, at: time)
  }

  package mutating func finish(route: [Fix]) {
    guard var last else { return }
    (last.distance, last.movingTime) = (survey.ride.figures.distance, survey.ride.figures.movingTime)
    write(lapTo: last, trigger: "Manual")
    bytes.append("</Activity>\n</Activities>\n</TrainingCenterDatabase>\n")
  }

  private mutating func begin(at start: UTCInstant) {
    hasBegun = true
    bytes.append(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2">
      <Activities>
      <Activity Sport="Biking">
      <Id>
      """)
    bytes.append(iso8601: start)
    bytes.append("</Id>\n")
  }

  private mutating func endTrack() {
    if isInTrack { tracks.append("</Track>\n") }
    isInTrack = false
  }

  private mutating func write(lapTo end: Mark, trigger: StaticString) {
    guard let lap else { return }
    endTrack()
    bytes.append("<Lap StartTime=\"")
    bytes.append(iso8601: lap.time)
    bytes.append("\">")
    bytes.append(element: "TotalTimeSeconds", max(0, end.movingTime - lap.movingTime), decimals: 3)
    bytes.append(element: "DistanceMeters", max(0, end.distance - lap.distance), decimals: 2)
    // The schema requires the energy.
    bytes.append("<Calories>0</Calories><Intensity>Active</Intensity><TriggerMethod>")
    bytes.append(trigger)
    bytes.append("</TriggerMethod>\n")
    bytes += tracks
    bytes.append("</Lap>\n")
    tracks.removeAll(keepingCapacity: true)
  }

  private mutating func point(_ fix: Fix, _ rider: SensorValues, at time: UTCInstant) {
    tracks.append("<Trackpoint><Time>")
    tracks.append(iso8601: time)
    tracks.append("</Time><Position>")
    tracks.append(element: "LatitudeDegrees", fix.position.latitude, decimals: 9)
    tracks.append(element: "LongitudeDegrees", GPXWriter.below180(fix.position.longitude), decimals: 9)
    tracks.append("</Position>")
    tracks.append(element: "AltitudeMeters", fix.altitudeMSL, decimals: 3)
    tracks.append(element: "DistanceMeters", distance, decimals: 2)
    if let rate = rider.heartRate {
      tracks.append(element: "HeartRateBpm") { $0.append(element: "Value", Double(rate), decimals: 0) }
    }
    // A byte in the schema.
    tracks.append(element: "Cadence", rider.cadence.map { Double(min($0, 254)) }, decimals: 0)
    if fix.speed != nil || rider.power != nil {
      tracks.append("<Extensions><TPX xmlns=\"http://www.garmin.com/xmlschemas/ActivityExtension/v2\">")
      tracks.append(element: "Speed", fix.speed, decimals: 3)
      tracks.append(element: "Watts", rider.power.map { Double($0) }, decimals: 0)
      tracks.append("</TPX></Extensions>")
    }
    tracks.append("</Trackpoint>\n")
  }
}
