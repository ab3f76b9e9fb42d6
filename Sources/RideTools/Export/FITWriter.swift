import LocationCore
import Recordings

/// A writer of rides as FIT activities: a record a second at most, a timer that stops where the rider does, laps and
/// one session. Fixes without a date are left out.
/// `distance` and `total_timer_time` are the ride's distance and moving time; the whole seconds of the timer's events add
/// up to the moving time, too.
package struct FITWriter: RideWriter {
  package static let name = "FIT"
  package static let help =
    "Write a FIT activity: a record a second at most, the timer stops where the rider does."
  package static let features: Set<ExportFeature> = [.activity]

  private typealias Field = FITEncoder.Field

  private static let shortestStop = 1.0

  /// A fix with a date, and the ride at it.
  private struct Sample {
    var second: Int64
    var time: Double
    var elapsed: Double
    var distance: Double
    var position: Coordinate
    @Compact var altitude: Double?
    @Compact var speed: Double?
    @Compact var grade: Float?
    var sensors: SensorValues
  }

  private struct Mark {
    var second: Int64
    var position: Coordinate
    var distance = 0.0
    var movingTime = 0.0
    var ascent: Double?
    var descent: Double?
  }

  /// The file, once it is finished; empty without a fix that has a date.
  package var bytes: [UInt8] = []
  private var encoder = FITEncoder()
  private var survey = RideSurvey()
  private var samples: [Sample] = []
  /// Of the ride at the newest of them.
  private var climbed: (up: Double?, down: Double?)
  /// Behind how many of them a lap has ended.
  private var lapEnds: [(count: Int, trigger: LapTrigger, climbed: (up: Double?, down: Double?))] = []
  private var pauses: [RideStops.Stop] = []
  private var next = 0
  private var isPaused = false
  private var distance = 0.0
  private var first: Mark?
  private var last: Mark?
  private var recorded: Int64 = 0
  /// When the timer was started, and what it counted before.
  private var timer = (started: Int64(0), counted: 0.0)
  private var lap: Mark?
  private var laps: Int64 = 0
  private var speeds = (last: 0.0, top: 0.0)

  package init(_ options: ExportOptions, _ survey: RideSurvey) {}

  /// Keeps what is to be written: where a ride stopped is known only behind the stops, and slow motion may count long
  /// after it began.
  package mutating func add(_ moment: RideMoment) {
    survey.add(moment)
    if case .lap(let trigger, _) = moment { lapEnds.append((samples.count, trigger, climbed)) }
    guard case .fix(let trackFix) = moment, let measured = trackFix.fix.measured else { return }
    let (fix, fused, figures) = (trackFix.fix, trackFix.sensed.fused, survey.ride.figures)
    let time = Double(measured.nanosecondsSince1970) / 1e9 - Double(UTCInstant.fitEpoch)
    guard (1..<Double(UInt32.max)).contains(time) else { return }
    samples.append(
      Sample(
        second: max(Int64(time.rounded(.down)), samples.last?.second ?? 0), time: time, elapsed: survey.ride.elapsed,
        distance: figures.distance, position: fix.position,
        altitude: fused.altitude.map(Double.init) ?? fix.altitudeMSL, speed: fix.speed, grade: fused.grade,
        sensors: trackFix.sensed.rider))
    climbed = (figures.ascent, figures.descent)
  }

  private mutating func write(_ sample: Sample) {
    let (second, time, elapsed) = (sample.second, sample.time, sample.elapsed)
    if first == nil { begin(Mark(second: second, position: sample.position)) }
    defer {
      last = Mark(
        second: second, position: sample.position, distance: distance,
        movingTime: survey.stops.movingTime(at: elapsed))
    }
    if let speed = sample.speed { speeds = (speed, max(speeds.top, min(speed, speeds.last))) }
    while next < pauses.count, pauses[next].begin <= elapsed {
      let pause = pauses[next]
      let movingTime = survey.stops.movingTime(at: pause.begin)
      if !isPaused {
        // Whole seconds: what this one lacks or has too much is in the next.
        let stop = timer.started + Int64((movingTime - timer.counted).rounded())
        let date = max(min(stop, second), recorded)
        distance = max(distance, pause.distance)
        record(sample, at: date, speed: 0)
        event(isStart: false, at: date)
      }
      let start = Int64((time + pause.end - elapsed + timer.counted - movingTime).rounded())
      guard pause.end <= elapsed, pause.end < survey.ride.elapsed, start <= second else { return }
      event(isStart: true, at: max(start, recorded))
      next += 1
    }
    distance = max(distance, min(sample.distance, next < pauses.count ? pauses[next].distance : .infinity))
    record(sample, at: second, speed: sample.speed)
  }

  package mutating func finish(route: [Fix]) {
    pauses = survey.stops.stops.filter { $0.end - $0.begin >= Self.shortestStop }
    var ends = lapEnds[...]
    for (index, sample) in samples.enumerated() {
      while ends.first?.count == index, let end = ends.popFirst() { endLap(end.trigger, end.climbed) }
      write(sample)
    }
    for end in ends { endLap(end.trigger, end.climbed) }
    guard let first, var last else { return }
    if !isPaused { event(isStart: false, at: last.second) }
    let figures = survey.ride.figures
    (last.distance, last.movingTime) = (figures.distance, figures.movingTime)
    (last.ascent, last.descent) = (figures.ascent, figures.descent)
    write(lapTo: last, trigger: 7)
    let session =
      [
        Field(254, .uint16, 0), Field(253, .uint32, last.second), Field(0, .byte, 8), Field(1, .byte, 1),
      ] + sums(from: first, to: last) + [
        Field(5, .byte, 2), Field(6, .byte, 0), Field(22, .uint16, figures.ascent, scale: 1),
        Field(23, .uint16, figures.descent, scale: 1), Field(25, .uint16, 0), Field(26, .uint16, laps),
        Field(28, .byte, 0), Field(124, .uint32, figures.averageSpeed, scale: 1000),
        Field(125, .uint32, figures.maximumSpeed, scale: 1000),
      ]
    encoder.write(.session, session + Self.sums(figures.sensors))
    let offset = LocalTime(UTCInstant(nanosecondsSince1970: (UTCInstant.fitEpoch + last.second) * 1_000_000_000)).offset
    encoder.write(
      .activity,
      [
        Field(253, .uint32, last.second), Field(0, .uint32, figures.movingTime, scale: 1000), Field(1, .uint16, 1),
        Field(2, .byte, 0), Field(3, .byte, 26), Field(4, .byte, 1),
        Field(5, .uint32, last.second + Int64(offset)),
      ])
    bytes = encoder.bytes
  }

  /// Ends the lap at the newest fix, unless it has just begun.
  private mutating func endLap(_ trigger: LapTrigger, _ climbed: (up: Double?, down: Double?)) {
    guard let lap, var last, last.second > lap.second else { return }
    (last.ascent, last.descent) = climbed
    write(lapTo: last, trigger: trigger == .place ? 4 : 0)
    self.lap = last
    speeds.top = 0
  }

  private mutating func write(lapTo end: Mark, trigger: Int64) {
    guard let lap else { return }
    let climbed = { (end: Double?, begin: Double?) in end.map { max(0, $0 - (begin ?? 0)) } }
    let (metres, seconds) = (end.distance - lap.distance, end.movingTime - lap.movingTime)
    encoder.write(
      .lap,
      [
        Field(254, .uint16, laps), Field(253, .uint32, end.second), Field(0, .byte, 9), Field(1, .byte, 1),
      ] + sums(from: lap, to: end) + Field.place(5, end.position) + [
        Field(21, .uint16, climbed(end.ascent, lap.ascent), scale: 1),
        Field(22, .uint16, climbed(end.descent, lap.descent), scale: 1), Field(24, .byte, trigger), Field(25, .byte, 2),
        Field(110, .uint32, seconds > 0 ? metres / seconds : nil, scale: 1000),
        Field(111, .uint32, speeds.top > 0 ? speeds.top : nil, scale: 1000),
      ])
    laps += 1
  }

  private func sums(from begin: Mark, to end: Mark) -> [Field] {
    let movingTime = max(0, end.movingTime - begin.movingTime)
    return [
      Field(2, .uint32, begin.second),
      Field(7, .uint32, max(Double(end.second - begin.second), movingTime), scale: 1000),
      Field(8, .uint32, movingTime, scale: 1000),
      Field(9, .uint32, max(0, end.distance - begin.distance), scale: 100),
    ] + Field.place(3, begin.position)
  }

  private mutating func begin(_ mark: Mark) {
    first = mark
    lap = mark
    encoder.begin(.activity, at: mark.second, mark.position)
    event(isStart: true, at: mark.second)
  }

  private mutating func event(isStart: Bool, at second: Int64) {
    isPaused = !isStart
    if isStart {
      timer.started = second
      recorded = max(recorded, second - 1)
    } else {
      timer.counted += Double(second - timer.started)
    }
    encoder.write(.event, [Field(253, .uint32, second), Field(0, .byte, 0), Field(1, .byte, isStart ? 0 : 4)])
  }

  private mutating func record(_ sample: Sample, at second: Int64, speed: Double?) {
    guard second > recorded else { return }
    recorded = second
    let record =
      [
        Field(253, .uint32, second)
      ] + Field.place(0, sample.position) + [
        Field(78, .uint32, sample.altitude, scale: 5, offset: 500), Field(73, .uint32, speed, scale: 1000),
        Field(5, .uint32, distance, scale: 100),
      ]
    let grade = survey.hasFused.grade ? [Field(9, .sint16, sample.grade.map(Double.init), scale: 100)] : []
    encoder.write(.record, record + grade + values(of: sample.sensors))
  }

  /// What the rider's sensors measured: fields that a ride without them does not define.
  private func values(of sensors: SensorValues) -> [Field] {
    let ride = survey.ride.figures.sensors
    func field(_ number: UInt8, _ kind: Field.Kind, _ value: Double?, in sum: SensorSum?) -> [Field] {
      sum == nil ? [] : [Field(number, kind, value, scale: 1)]
    }
    return field(3, .uint8, sensors.heartRate.map(Double.init), in: ride.heartRate)
      + field(4, .uint8, sensors.cadence.map(Double.init), in: ride.cadence)
      + field(7, .uint16, sensors.power.map(Double.init), in: ride.power)
      + field(13, .sint8, sensors.temperature, in: ride.temperature)
  }

  private static func sums(_ sensors: SensorSums) -> [Field] {
    func fields(_ average: UInt8, _ maximum: UInt8, _ kind: Field.Kind, _ sum: SensorSum?) -> [Field] {
      sum.map { [Field(average, kind, $0.average, scale: 1), Field(maximum, kind, $0.maximum, scale: 1)] } ?? []
    }
    return fields(16, 17, .uint8, sensors.heartRate) + fields(18, 19, .uint8, sensors.cadence)
      + fields(20, 21, .uint16, sensors.power) + fields(57, 58, .sint8, sensors.temperature)
  }
}
