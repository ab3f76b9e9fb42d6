import LocationCore
import Recordings

/// A writer of rides as FIT activities: a record a second at most, a timer that stops where the rider does, laps and
/// one session. Fixes without a date are left out.
///
/// `distance` and `total_timer_time` are the ride's distance and moving time; the whole seconds of the timer's events add
/// up to the moving time, too. Coordinates are semicircles, times whole seconds since 1989-12-31.
package struct FITWriter: Sendable {
  /// A field of a message: its number, base type and value; `nil` is written as the type's invalid value.
  private struct Field {
    enum Kind: UInt8 {
      case byte = 0x00, uint16 = 0x84, sint32 = 0x85, uint32 = 0x86

      var size: Int { self == .byte ? 1 : self == .uint16 ? 2 : 4 }
      var largest: Int64 {
        self == .byte ? 0xFE : self == .uint16 ? 0xFFFE : self == .uint32 ? 0xFFFF_FFFE : 0x7FFF_FFFE
      }
      var smallest: Int64 { self == .sint32 ? -0x8000_0000 : 0 }
    }

    var number: UInt8
    var kind: Kind
    var value: Int64?

    init(_ number: UInt8, _ kind: Kind, _ value: Int64?) {
      (self.number, self.kind, self.value) = (number, kind, value)
    }

    init(_ number: UInt8, _ kind: Kind, _ value: Double?, scale: Double, offset: Double = 0) {
      let scaled = value.flatMap { Int64(exactly: (($0 + offset) * scale).rounded()) }
      self.init(number, kind, scaled.flatMap { (kind.smallest...kind.largest).contains($0) ? $0 : nil })
    }
  }

  private enum Message: UInt16 { case fileID = 0, session = 18, lap = 19, record = 20, event = 21, activity = 34 }

  private static let shortestStop = 1.0

  /// A place on the ride, at which the timer stops or a lap begins.
  private struct Mark {
    var second: Int64
    var position: Coordinate
    var distance = 0.0
    var movingTime = 0.0
    var ascent: Double?
    var descent: Double?
  }

  private struct Pause {
    var begin, end: Double
    var distance: Double
    /// Moving time of the ride until then, seconds.
    var movingTime: Double
  }

  package private(set) var bytes: [UInt8] = []
  /// Bytes of messages so far.
  package private(set) var dataSize = 0
  private let survey: RideSurvey
  private let pauses: [Pause]
  private var next = 0
  private var ride = RideAccumulator()
  private var checksum: UInt16 = 0
  private var defined: [Message: UInt8] = [:]
  private var isPaused = false
  private var distance = 0.0
  private var first: Mark?
  private var last: Mark?
  /// Time of the newest record or event.
  private var recorded: Int64 = 0
  /// When the timer was started, and what it counted before.
  private var timer = (started: Int64(0), counted: 0.0)
  private var lap: Mark?
  private var laps: Int64 = 0
  private var speeds = (last: 0.0, top: 0.0)

  /// A writer of a ride whose messages have so many bytes: what another one has counted that wrote the same.
  package init(_ survey: RideSurvey, dataSize: Int = 0) {
    self.survey = survey
    pauses = survey.stops.stops.filter { $0.end - $0.begin >= Self.shortestStop }.map {
      Pause(begin: $0.begin, end: $0.end, distance: $0.distance, movingTime: survey.stops.movingTime(at: $0.begin))
    }
    var header: [UInt8] = [14, 0x20]
    header.append(little: 21_218, size: 2)
    header.append(little: Int64(dataSize), size: 4)
    header += Array(".FIT".utf8)
    header.append(little: Int64(FITChecksum.sum(of: header)), size: 2)
    append(header)
  }

  package mutating func take(_ moment: RideMoment) {
    ride.take(moment)
    if case .lap(let trigger, _) = moment { endLap(trigger) }
    guard case .fix(let trackFix) = moment, let measured = trackFix.fix.measured else { return }
    let fix = trackFix.fix
    let time = Double(measured.nanosecondsSince1970) / 1e9 - Double(UTCInstant.fitEpoch)
    guard (1..<Double(UInt32.max)).contains(time) else { return }
    let second = max(Int64(time.rounded(.down)), last?.second ?? 0)
    let elapsed = ride.elapsed
    if first == nil { begin(Mark(second: second, position: fix.position)) }
    defer {
      let figures = ride.figures
      last = Mark(
        second: second, position: fix.position, distance: distance, movingTime: survey.stops.movingTime(at: elapsed),
        ascent: figures.ascent, descent: figures.descent)
    }
    if let speed = fix.speed { speeds = (speed, max(speeds.top, min(speed, speeds.last))) }
    while next < pauses.count, pauses[next].begin <= elapsed {
      let pause = pauses[next]
      if !isPaused {
        // Whole seconds: what this one lacks or has too much is in the next.
        let stop = timer.started + Int64((pause.movingTime - timer.counted).rounded())
        let date = max(min(stop, second), recorded)
        distance = max(distance, pause.distance)
        record(fix, at: date, speed: 0)
        event(isStart: false, at: date)
      }
      let start = Int64((time + pause.end - elapsed + timer.counted - pause.movingTime).rounded())
      guard pause.end <= elapsed, pause.end < survey.ride.elapsed, start <= second else { return }
      event(isStart: true, at: max(start, recorded))
      next += 1
    }
    distance = max(distance, min(ride.figures.distance, next < pauses.count ? pauses[next].distance : .infinity))
    record(fix, at: second, speed: fix.speed)
  }

  package mutating func finish() {
    guard let first, var last else { return }
    if !isPaused { event(isStart: false, at: last.second) }
    let figures = survey.ride.figures
    (last.distance, last.movingTime) = (figures.distance, figures.movingTime)
    (last.ascent, last.descent) = (figures.ascent, figures.descent)
    write(lapTo: last, trigger: 7)
    write(
      .session,
      [
        Field(254, .uint16, 0), Field(253, .uint32, last.second), Field(0, .byte, 8), Field(1, .byte, 1),
      ] + sums(from: first, to: last) + [
        Field(5, .byte, 2), Field(6, .byte, 0), Field(22, .uint16, figures.ascent, scale: 1),
        Field(23, .uint16, figures.descent, scale: 1), Field(25, .uint16, 0), Field(26, .uint16, laps),
        Field(28, .byte, 0), Field(124, .uint32, figures.averageSpeed, scale: 1000),
        Field(125, .uint32, figures.maximumSpeed, scale: 1000),
      ])
    write(
      .activity,
      [
        Field(253, .uint32, last.second), Field(0, .uint32, figures.movingTime, scale: 1000), Field(1, .uint16, 1),
        Field(2, .byte, 0), Field(3, .byte, 26), Field(4, .byte, 1),
      ])
    append([UInt8(checksum & 0xFF), UInt8(checksum >> 8)])
  }

  /// Ends the lap at the newest fix, unless it has just begun.
  private mutating func endLap(_ trigger: LapTrigger) {
    guard let lap, let last, last.second > lap.second else { return }
    write(lapTo: last, trigger: trigger == .place ? 4 : 0)
    self.lap = last
    speeds.top = 0
  }

  private mutating func write(lapTo end: Mark, trigger: Int64) {
    guard let lap else { return }
    let climbed = { (end: Double?, begin: Double?) in end.map { max(0, $0 - (begin ?? 0)) } }
    let (metres, seconds) = (end.distance - lap.distance, end.movingTime - lap.movingTime)
    write(
      .lap,
      [
        Field(254, .uint16, laps), Field(253, .uint32, end.second), Field(0, .byte, 9), Field(1, .byte, 1),
      ] + sums(from: lap, to: end) + [
        Field(5, .sint32, semicircles(end.position.latitude)), Field(6, .sint32, semicircles(end.position.longitude)),
        Field(21, .uint16, climbed(end.ascent, lap.ascent), scale: 1),
        Field(22, .uint16, climbed(end.descent, lap.descent), scale: 1), Field(24, .byte, trigger), Field(25, .byte, 2),
        Field(110, .uint32, seconds > 0 ? metres / seconds : nil, scale: 1000),
        Field(111, .uint32, speeds.top > 0 ? speeds.top : nil, scale: 1000),
      ])
    laps += 1
  }

  /// Where and when a lap or the session began, and its sums.
  private func sums(from begin: Mark, to end: Mark) -> [Field] {
    let movingTime = max(0, end.movingTime - begin.movingTime)
    return [
      Field(2, .uint32, begin.second),
      Field(7, .uint32, max(Double(end.second - begin.second), movingTime), scale: 1000),
      Field(8, .uint32, movingTime, scale: 1000),
      Field(9, .uint32, max(0, end.distance - begin.distance), scale: 100),
      Field(3, .sint32, semicircles(begin.position.latitude)), Field(4, .sint32, semicircles(begin.position.longitude)),
    ]
  }

  /// The bytes written since the last call.
  package mutating func taken() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }

  private mutating func begin(_ mark: Mark) {
    first = mark
    lap = mark
    // An activity of a maker in development.
    write(
      .fileID, [Field(0, .byte, 4), Field(1, .uint16, 255), Field(2, .uint16, 1), Field(4, .uint32, mark.second)])
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
    write(.event, [Field(253, .uint32, second), Field(0, .byte, 0), Field(1, .byte, isStart ? 0 : 4)])
  }

  private mutating func record(_ fix: Fix, at second: Int64, speed: Double?) {
    guard second > recorded else { return }
    recorded = second
    write(
      .record,
      [
        Field(253, .uint32, second), Field(0, .sint32, semicircles(fix.position.latitude)),
        Field(1, .sint32, semicircles(fix.position.longitude)),
        Field(78, .uint32, fix.altitudeMSL, scale: 5, offset: 500), Field(73, .uint32, speed, scale: 1000),
        Field(5, .uint32, distance, scale: 100),
      ])
  }

  private func semicircles(_ degrees: Double) -> Int64 {
    min(Int64((degrees / 180 * 0x8000_0000).rounded()), 0x7FFF_FFFE)
  }

  /// Writes a message, with its definition if it is the first of its kind.
  private mutating func write(_ message: Message, _ fields: [Field]) {
    var data: [UInt8] = []
    let local = defined[message] ?? UInt8(defined.count)
    if defined.updateValue(local, forKey: message) == nil {
      data += [0x40 | local, 0, 0]
      data.append(little: Int64(message.rawValue), size: 2)
      data.append(UInt8(fields.count))
      for field in fields { data += [field.number, UInt8(field.kind.size), field.kind.rawValue] }
    }
    data.append(local)
    for field in fields { data.append(little: field.value ?? field.kind.largest + 1, size: field.kind.size) }
    dataSize += data.count
    append(data)
  }

  private mutating func append(_ data: [UInt8]) {
    checksum = FITChecksum.sum(of: data, after: checksum)
    bytes += data
  }
}

extension [UInt8] {
  /// Appends the lowest bytes of a number, the lowest one first.
  fileprivate mutating func append(little number: Int64, size: Int) {
    for index in 0..<size { append(UInt8(truncatingIfNeeded: number >> (8 * Int64(index)))) }
  }
}
