import LocationCore
import Recordings

/// A course as a FIT course, as bike computers follow it: its line with elevations, and its cues as course points. Its
/// times are those of a ride at 18 km/h, because the format wants some.
package enum FITCourse {
  private typealias Field = FITEncoder.Field

  /// 2020-01-01.
  private static let start: Int64 = 1_577_836_800 - UTCInstant.fitEpoch
  /// Metres per second.
  private static let speed = 5.0

  package static func bytes(of file: CourseFile) -> [UInt8] {
    var encoder = FITEncoder()
    let (course, points) = (file.course, file.points)
    guard let first = points.first, let last = points.last else { return encoder.bytes }
    let end = second(at: course.line.length)
    encoder.begin(.course, at: start, first.position)
    encoder.write(.course, [Field(4, .byte, 2), Field(5, course.name)])
    let ascents = [false, true].map { isReverse in
      course.profile?.ascentLeft(from: isReverse ? course.line.length : 0, of: course.line, isReverse: isReverse)
    }
    let seconds = Double(end - start)
    encoder.write(
      .lap,
      [
        Field(254, .uint16, 0), Field(253, .uint32, end), Field(2, .uint32, start),
        Field(7, .uint32, seconds, scale: 1000),
        Field(8, .uint32, seconds, scale: 1000), Field(9, .uint32, course.line.length, scale: 100),
        Field(21, .uint16, ascents[0], scale: 1), Field(22, .uint16, ascents[1], scale: 1), Field(25, .byte, 2),
      ] + Field.place(3, first.position) + Field.place(5, last.position))
    encoder.write(.event, [Field(253, .uint32, start), Field(0, .byte, 0), Field(1, .byte, 0)])
    for cue in course.cues {
      guard let place = course.line.coordinate(at: cue.along) else { continue }
      let kind = cue.kind.flatMap { kind in TrackPoint.fitKinds.firstIndex { $0 == kind.lowercased() } } ?? 0
      encoder.write(
        .coursePoint,
        [
          Field(1, .uint32, second(at: cue.along)), Field(4, .uint32, cue.along, scale: 100),
          Field(5, .byte, Int64(kind)),
          Field(6, cue.text),
        ] + Field.place(2, place))
    }
    var along = 0.0
    var previous = first.position
    for point in points {
      along += point.position.distance(to: previous)
      previous = point.position
      encoder.write(
        .record,
        [
          Field(253, .uint32, second(at: along)), Field(78, .uint32, point.elevation, scale: 5, offset: 500),
          Field(5, .uint32, along, scale: 100),
        ] + Field.place(0, point.position))
    }
    encoder.write(.event, [Field(253, .uint32, end), Field(0, .byte, 0), Field(1, .byte, 9)])
    return encoder.bytes
  }

  private static func second(at along: Double) -> Int64 { start + Int64((along / speed).rounded()) }
}
