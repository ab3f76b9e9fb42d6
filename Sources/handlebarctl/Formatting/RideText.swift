import GPSDProtocol
import LocationCore
import Recordings

/// Rides, for a person and for a program.
enum RideText {
  /// A ride with what it came to.
  struct Row {
    var ride: Ride
    var summary: RideSummary
    var isInProgress: Bool
  }

  /// A table, the columns as wide as they need to be.
  static func table(_ rows: [Row]) -> [String] {
    var cells = [["RIDE", "START", "DURATION", "MOVING", "DISTANCE", "ASCENT", "AVERAGE", "MAX", "GAPS", "SIZE", ""]]
    for row in rows {
      let figures = row.summary.figures
      cells.append([
        row.ride.name.stem, figures.start.map(time) ?? "-", clock(figures.duration), clock(figures.movingTime),
        kilometres(figures.distance), figures.ascent.map { "\($0.decimals(0)) m" } ?? "-",
        speed(figures.averageSpeed), speed(figures.maximumSpeed), "\(figures.gaps)", size(row.ride.bytes),
        row.isInProgress ? "recording" : "",
      ])
    }
    let widths = cells[0].indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
    return cells.map { row in
      var line = row.enumerated().map { column, cell in
        column < 2 || column == row.count - 1 ? cell.left(widths[column]) : cell.right(widths[column])
      }.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// Everything about one ride.
  static func lines(_ row: Row, files: [String]) -> [String] {
    let figures = row.summary.figures
    var lines = [Self.row("ride", row.ride.name.stem + (row.isInProgress ? ", being recorded" : ""))]
    lines.append(Self.row("start", figures.start.map(time) ?? "unknown: no fix told the date"))
    if let end = figures.end { lines.append(Self.row("end", time(end))) }
    lines.append(Self.row("duration", clock(figures.duration)))
    lines.append(Self.row("moving", clock(figures.movingTime)))
    lines.append(Self.row("distance", kilometres(figures.distance)))
    if let ascent = figures.ascent { lines.append(Self.row("ascent", "\(ascent.decimals(0)) m")) }
    if let descent = figures.descent { lines.append(Self.row("descent", "\(descent.decimals(0)) m")) }
    lines.append(Self.row("average", speed(figures.averageSpeed)))
    lines.append(Self.row("fastest", speed(figures.maximumSpeed)))
    lines.append(Self.row("fixes", "\(figures.fixes)"))
    let gaps = figures.gaps == 0 ? "none" : "\(figures.gaps), \(clock(figures.gapTime)) together"
    lines.append(Self.row("gaps", gaps))
    if row.summary.damages > 0 { lines.append(Self.row("damaged", "\(row.summary.damages) places passed by")) }
    lines.append(Self.row("size", size(row.ride.bytes)))
    for file in files { lines.append(Self.row("file", file.printable)) }
    return lines
  }

  /// One JSON object on a line. Metres, seconds, m/s.
  static func json(_ row: Row) -> [UInt8] {
    let figures = row.summary.figures
    var line = JSONLine(capacity: 512, lineEnd: .lf)
    line.beginObject()
    line.field("ride", row.ride.name.stem)
    line.field("start", figures.start)
    line.field("end", figures.end)
    line.field("duration", figures.duration, decimals: 3)
    line.field("movingTime", figures.movingTime, decimals: 3)
    line.field("distance", figures.distance, decimals: 3)
    line.field("ascent", figures.ascent, decimals: 1)
    line.field("descent", figures.descent, decimals: 1)
    line.field("averageSpeed", figures.averageSpeed, decimals: 3)
    line.field("maxSpeed", figures.maximumSpeed, decimals: 3)
    line.field("fixes", figures.fixes)
    line.field("gaps", figures.gaps)
    line.field("gapTime", figures.gapTime, decimals: 3)
    line.field("damages", row.summary.damages)
    line.field("bytes", row.ride.bytes)
    line.field("files", row.ride.parts.count)
    line.field("recording", row.isInProgress)
    line.endObject()
    line.endLine()
    return Array(line.bytes)
  }

  /// `2026-03-19 12:35:19Z`
  static func time(_ instant: UTCInstant) -> String {
    let date = instant.date
    let second = Int(instant.nanosecondsOfDay / 1_000_000_000)
    func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
    return "\(date.year)-\(two(date.month))-\(two(date.day)) "
      + "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))Z"
  }

  /// Hours, minutes and seconds: `1:02:03`.
  static func clock(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return "?" }
    let whole = Int(seconds.rounded())
    func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
    return "\(whole / 3600):\(two(whole / 60 % 60)):\(two(whole % 60))"
  }

  static func kilometres(_ metres: Double) -> String { "\((metres / 1000).decimals(2)) km" }

  static func speed(_ speed: Double?) -> String { speed.map { "\(($0 * 3.6).decimals(1)) km/h" } ?? "-" }

  static func size(_ bytes: Int) -> String {
    bytes < 1_000_000 ? "\((Double(bytes) / 1e3).decimals(1)) kB" : "\((Double(bytes) / 1e6).decimals(1)) MB"
  }

  private static func row(_ name: String, _ value: String) -> String { "\(name.left(14)) \(value)" }
}
