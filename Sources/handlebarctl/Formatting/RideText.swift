import GPSDProtocol
import LocationCore
import Recordings

/// Rides and their recording, for people.
struct RideText {
  /// A ride with its figures.
  struct Row {
    var ride: Ride
    var summary: RideSummary
    var isInProgress: Bool
  }

  let units: Units

  /// A table, each column as wide as it needs to be.
  func table(_ rows: [Row]) -> [String] {
    var cells = [["RIDE", "START", "DURATION", "MOVING", "DISTANCE", "ASCENT", "AVERAGE", "MAX.", "GAPS", "SIZE", ""]]
    for row in rows {
      let figures = row.summary.figures
      cells.append([
        row.ride.name.stem, figures.start?.seconds ?? "-", Text.clock(figures.duration), Text.clock(figures.movingTime),
        units.distance(figures.distance), figures.ascent.map { units.length($0, decimals: 0) } ?? "-",
        units.speed(figures.averageSpeed), units.speed(figures.maximumSpeed), "\(figures.gaps)",
        Text.size(row.ride.bytes), row.isInProgress ? "recording" : "",
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

  /// All figures of one ride.
  func lines(_ row: Row, files: [String]) -> [String] {
    let figures = row.summary.figures
    var lines = [Text.row("ride", row.ride.name.stem + (row.isInProgress ? ", being recorded" : ""))]
    lines.append(Text.row("start", figures.start?.seconds ?? "unknown: no fix has a date"))
    if let end = figures.end { lines.append(Text.row("end", end.seconds)) }
    lines.append(Text.row("duration", Text.clock(figures.duration)))
    lines.append(Text.row("moving", Text.clock(figures.movingTime)))
    lines.append(Text.row("distance", units.distance(figures.distance)))
    if let ascent = figures.ascent { lines.append(Text.row("ascent", units.length(ascent, decimals: 0))) }
    if let descent = figures.descent { lines.append(Text.row("descent", units.length(descent, decimals: 0))) }
    lines.append(Text.row("average", units.speed(figures.averageSpeed)))
    lines.append(Text.row("max.", units.speed(figures.maximumSpeed)))
    lines.append(Text.row("fixes", "\(figures.fixes)"))
    let gaps = figures.gaps == 0 ? "none" : "\(figures.gaps), \(Text.clock(figures.gapTime)) in total"
    lines.append(Text.row("gaps", gaps))
    if row.summary.damages > 0 { lines.append(Text.row("damaged", "\(row.summary.damages) places skipped")) }
    lines.append(Text.row("size", Text.size(row.ride.bytes)))
    for file in files { lines.append(Text.row("file", file.printable)) }
    return lines
  }

  /// The state of the recording, and the figures of its ride so far.
  func lines(_ report: RecordReport) -> [String] {
    var lines = [Text.row("recording", state(report))]
    if let file = report.file { lines.append(Text.row("file", file.printable)) }
    if let bytes = report.bytes, bytes > 0 { lines.append(Text.row("written", Text.size(bytes))) }
    guard let fixes = report.fixes else { return lines }
    if let start = report.start { lines.append(Text.row("start", start.seconds)) }
    lines.append(Text.row("duration", Text.clock(report.duration?.inSeconds ?? 0)))
    lines.append(Text.row("moving", Text.clock(report.movingTime?.inSeconds ?? 0)))
    lines.append(Text.row("distance", units.distance(report.distance ?? 0)))
    if let ascent = report.ascent { lines.append(Text.row("ascent", units.length(ascent, decimals: 0))) }
    lines.append(Text.row("average", units.speed(report.averageSpeed)))
    lines.append(Text.row("max.", units.speed(report.maxSpeed)))
    lines.append(Text.row("fixes", "\(fixes)"))
    if let gaps = report.gaps { lines.append(Text.row("gaps", gaps == 0 ? "none" : "\(gaps)")) }
    return lines
  }

  private func state(_ report: RecordReport) -> String {
    switch report.state {
    case .recording: "ride \(report.ride?.printable ?? "?")"
    case .failed: "failed, will be retried: \(report.error?.printable ?? "?")"
    case .off: "off: no directory is configured; start handlebard with --record DIR"
    case .stopped: "stopped; start it: handlebarctl record start"
    default: report.state.rawValue.printable
    }
  }

  /// One JSON object on a line: metres, seconds, m/s.
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
}
