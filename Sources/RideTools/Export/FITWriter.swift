import LocationCore
import Recordings

/// What a FIT file must know of a ride before its first byte.
package struct FITSurvey: Sendable {
  private(set) var stops = RideStops()
  private(set) var ride = RideAccumulator()
  /// Size of the messages, bytes; found by writing them once.
  package var dataSize = 0

  package init() {}

  package mutating func take(_ moment: RideMoment) {
    ride.take(moment)
    if case .fix = moment { stops.take(ride.figures, at: ride.elapsed) }
  }
}

/// A writer of rides as FIT activities: a record a second at most, a timer that stops where the rider does, one lap and
/// one session. Fixes without a date are left out.
///
/// `distance` and `total_timer_time` are the ride's distance and moving time. Coordinates are semicircles, times whole
/// seconds since 1989-12-31.
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

  /// 1989-12-31, seconds since 1970.
  private static let epoch: Int64 = 631_065_600
  private static let shortestStop = 1.0

  package private(set) var bytes: [UInt8] = []
  /// Bytes of messages so far.
  package private(set) var dataSize = 0
  private let survey: FITSurvey
  private let stops: ArraySlice<RideStops.Stop>
  private var next: Int
  private var ride = RideAccumulator()
  private var checksum: UInt16 = 0
  private var defined: [Message: UInt8] = [:]
  private var isPaused = false
  private var distance = 0.0
  private var first: (second: Int64, position: Coordinate)?
  private var last: (second: Int64, position: Coordinate)?
  private var recorded: Int64 = 0

  package init(_ survey: FITSurvey) {
    self.survey = survey
    stops = survey.stops.stops.filter { $0.end - $0.begin >= Self.shortestStop }[...]
    next = stops.startIndex
    var header: [UInt8] = [14, 0x20]
    header.append(little: 21_218, size: 2)
    header.append(little: Int64(survey.dataSize), size: 4)
    header += Array(".FIT".utf8)
    header.append(little: Int64(FITChecksum.sum(of: header)), size: 2)
    append(header)
  }

  package mutating func take(_ moment: RideMoment) {
    ride.take(moment)
    guard case .fix(let trackFix) = moment, let measured = trackFix.fix.measured else { return }
    let fix = trackFix.fix
    let time = Double(measured.nanosecondsSince1970) / 1e9 - Double(Self.epoch)
    guard (1..<Double(UInt32.max)).contains(time) else { return }
    let second = max(Int64(time.rounded(.down)), last?.second ?? 0)
    if first == nil { begin(at: second, fix.position) }
    last = (second, fix.position)
    let elapsed = ride.elapsed
    while next < stops.endIndex, stops[next].begin <= elapsed {
      let stop = stops[next]
      func date(_ seconds: Double) -> Int64 { max(Int64((time + seconds - elapsed).rounded()), recorded) }
      if !isPaused {
        distance = max(distance, stop.distance)
        record(fix, at: date(stop.begin), speed: 0)
        event(isStart: false, at: date(stop.begin))
      }
      guard stop.end <= elapsed, stop.end < survey.ride.elapsed else { return }
      event(isStart: true, at: date(stop.end))
      next += 1
    }
    distance = max(distance, min(ride.figures.distance, next < stops.endIndex ? stops[next].distance : .infinity))
    record(fix, at: second, speed: fix.speed)
  }

  package mutating func finish() {
    guard let first, let last else { return }
    if !isPaused { event(isStart: false, at: last.second) }
    let figures = survey.ride.figures
    let elapsed = max(Double(last.second - first.second), figures.movingTime)
    let sums = [
      Field(2, .uint32, first.second), Field(7, .uint32, elapsed, scale: 1000),
      Field(8, .uint32, figures.movingTime, scale: 1000), Field(9, .uint32, figures.distance, scale: 100),
    ]
    let start = [
      Field(3, .sint32, semicircles(first.position.latitude)), Field(4, .sint32, semicircles(first.position.longitude)),
    ]
    let (ascent, descent) = (figures.ascent, figures.descent)
    let stamp = Field(253, .uint32, last.second)
    write(
      .lap,
      [Field(254, .uint16, 0), stamp, Field(0, .byte, 9), Field(1, .byte, 1)] + sums + start + [
        Field(5, .sint32, semicircles(last.position.latitude)), Field(6, .sint32, semicircles(last.position.longitude)),
        Field(21, .uint16, ascent, scale: 1), Field(22, .uint16, descent, scale: 1), Field(24, .byte, 7),
        Field(25, .byte, 2),
        Field(110, .uint32, figures.averageSpeed, scale: 1000), Field(111, .uint32, figures.maximumSpeed, scale: 1000),
      ])
    write(
      .session,
      [Field(254, .uint16, 0), stamp, Field(0, .byte, 8), Field(1, .byte, 1)] + sums + start + [
        Field(5, .byte, 2), Field(6, .byte, 0), Field(22, .uint16, ascent, scale: 1),
        Field(23, .uint16, descent, scale: 1),
        Field(25, .uint16, 0), Field(26, .uint16, 1), Field(28, .byte, 0),
        Field(124, .uint32, figures.averageSpeed, scale: 1000), Field(125, .uint32, figures.maximumSpeed, scale: 1000),
      ])
    write(
      .activity,
      [
        stamp, Field(0, .uint32, figures.movingTime, scale: 1000), Field(1, .uint16, 1), Field(2, .byte, 0),
        Field(3, .byte, 26), Field(4, .byte, 1),
      ])
    append([UInt8(checksum & 0xFF), UInt8(checksum >> 8)])
  }

  /// The bytes written since the last call.
  package mutating func taken() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }

  private mutating func begin(at second: Int64, _ position: Coordinate) {
    first = (second, position)
    // An activity of a maker in development.
    write(
      .fileID, [Field(0, .byte, 4), Field(1, .uint16, 255), Field(2, .uint16, 1), Field(4, .uint32, second)])
    event(isStart: true, at: second)
  }

  private mutating func event(isStart: Bool, at second: Int64) {
    isPaused = !isStart
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

/// The checksum of FIT files, CRC-16 of polynomial 0xA001.
enum FITChecksum {
  static func sum(of bytes: [UInt8], after start: UInt16 = 0) -> UInt16 {
    bytes.reduce(start) { sum, byte in
      (0..<8).reduce(sum ^ UInt16(byte)) { sum, _ in sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0xA001 }
    }
  }
}

extension [UInt8] {
  /// Appends the lowest bytes of a number, the lowest one first.
  fileprivate mutating func append(little number: Int64, size: Int) {
    for index in 0..<size { append(UInt8(truncatingIfNeeded: number >> (8 * Int64(index)))) }
  }
}
