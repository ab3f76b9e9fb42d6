import GPSDProtocol
import LocationCore
import NIOCore
import RideTools

/// The way of a ride in few points, in parts between gaps: that of a longer one is coarser, everywhere alike.
struct RideLine: Sendable {
  static let maximumPoints = 3072
  /// Metres; what is still too long then has more gaps than way, and loses its oldest parts.
  private static let coarsest = 1000.0

  private(set) var parts: [[CoursePoint]] = []
  private(set) var time: UTCInstant?
  private var count = 0
  private var isApart = true
  /// Largest distance of a left-out point from the line, metres.
  private var tolerance = 1.0
  private var simplification = PolylineSimplification()

  /// Adds a fix; `isApart` when the way to it is unknown. One without a date cannot be compared with those of a page.
  mutating func add(_ fix: Fix, isApart isBehindGap: Bool) {
    isApart = isApart || isBehindGap
    guard let measured = fix.measured else { return }
    time = measured
    if isApart {
      // A single point is no way.
      if parts.last?.count == 1 { count -= parts.removeLast().count }
      parts.append([])
      isApart = false
    }
    let last = parts.count - 1
    if let place = parts[last].last?.position, place.distance(to: fix.position) < 1 { return }
    parts[last].append(CoursePoint(fix.position, elevation: fix.altitudeMSL))
    count += 1
    if count > Self.maximumPoints { shorten() }
  }

  private mutating func shorten() {
    while true {
      for index in parts.indices { simplify(index) }
      count = parts.reduce(0) { $0 + $1.count }
      guard count > Self.maximumPoints * 3 / 4 else { return }
      tolerance *= 1.5
      if tolerance > Self.coarsest { parts.removeFirst(parts.count / 2) }
    }
  }

  /// Heights count, too: the page draws a profile.
  private mutating func simplify(_ index: Int) {
    simplification.simplify(EarthCentered.raised(parts[index]), tolerance: tolerance)
    parts[index] = zip(parts[index], simplification.isKept).filter(\.1).map(\.0)
  }

  /// `{"time":…,"parts":[{"polyline":…,"elevation":…},…]}`, as a `COURSE` has them; `nil` without a point.
  var json: ByteBuffer? {
    guard !parts.isEmpty else { return nil }
    var line = JSONLine(capacity: 16 * count, lineEnd: .lf)
    line.beginObject()
    line.field("time", time)
    line.objects("parts", parts) { part, line in
      let (polyline, elevation) = Polyline.texts(of: part)
      line.field("polyline", uncut: polyline)
      if let elevation { line.field("elevation", uncut: elevation) }
    }
    line.endObject()
    return ByteBuffer(bytes: line.bytes)
  }
}
