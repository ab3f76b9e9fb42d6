import Forwarding
import GPSDProtocol
import LocationCore
import Recordings
import RideTools

struct RideText {
  struct Row {
    var name: String
    var files: [String]
    var bytes: Int
    var summary: RideSummary
    var isInProgress = false

    init(_ ride: Ride, in directory: RideDirectory) throws(RecordingError) {
      (name, files, bytes) = (ride.name.stem, directory.files(of: ride), ride.bytes)
      isInProgress = directory.isInProgress(ride)
      summary = try directory.summary(of: ride)
    }

    /// A ride of a file that the directory does not hold.
    init(_ input: borrowing RideInput, _ summary: RideSummary) {
      (name, files, bytes, self.summary) = (input.title, input.files, input.bytes, summary)
    }
  }

  let units: Units

  func table(_ rows: [Row]) -> [String] {
    var cells = [["RIDE", "START", "DURATION", "MOVING", "DISTANCE", "ASCENT", "AVERAGE", "MAX.", "GAPS", "SIZE", ""]]
    for row in rows {
      let figures = row.summary.figures
      cells.append([
        row.name, figures.start?.seconds ?? "-", Text.clock(figures.duration), Text.clock(figures.movingTime),
        units.distance(figures.distance), figures.ascent.map { units.length($0, decimals: 0) } ?? "-",
        units.speed(figures.averageSpeed), units.speed(figures.maximumSpeed), "\(figures.gaps)",
        Text.size(row.bytes), row.isInProgress ? "recording" : "",
      ])
    }
    let widths = cells[0].indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
    return cells.map { row in
      row.enumerated().map { column, cell in
        column < 2 || column == row.count - 1 ? cell.left(widths[column]) : cell.right(widths[column])
      }.joined(separator: "  ").withoutEndingSpaces
    }
  }

  func lines(_ row: Row) -> [String] {
    let figures = row.summary.figures
    let gaps = figures.gaps == 0 ? "none" : "\(figures.gaps), \(Text.clock(figures.gapTime)) in total"
    let rows = Text.rows([
      "ride": row.name.printable + (row.isInProgress ? ", being recorded" : ""),
      "start": figures.start?.seconds ?? "unknown: no fix has a date", "end": figures.end?.seconds,
      "duration": Text.clock(figures.duration), "moving": Text.clock(figures.movingTime),
      "distance": units.distance(figures.distance), "ascent": figures.ascent.map { units.length($0, decimals: 0) },
      "descent": figures.descent.map { units.length($0, decimals: 0) }, "average": units.speed(figures.averageSpeed),
      "max.": units.speed(figures.maximumSpeed), "fixes": "\(figures.fixes)", "gaps": gaps,
      "damaged": row.summary.damages > 0 ? "\(row.summary.damages) places skipped" : nil,
      "size": Text.size(row.bytes),
    ])
    return rows + row.files.map { Text.row("file", $0.printable) }
  }

  func lines(_ report: RecordReport) -> [String] {
    let rows = Text.rows([
      "recording": state(report), "file": report.file?.printable,
      "written": report.bytes.flatMap { $0 > 0 ? Text.size($0) : nil },
    ])
    guard let fixes = report.fixes else { return rows }
    return rows
      + Text.rows([
        "start": report.start?.seconds, "duration": Text.clock(report.duration?.inSeconds ?? 0),
        "moving": Text.clock(report.movingTime?.inSeconds ?? 0), "distance": units.distance(report.distance ?? 0),
        "ascent": report.ascent.map { units.length($0, decimals: 0) }, "average": units.speed(report.averageSpeed),
        "max.": units.speed(report.maxSpeed), "fixes": "\(fixes)",
        "gaps": report.gaps.map { $0 == 0 ? "none" : "\($0)" },
      ])
  }

  func lines(_ trip: TripReport) -> [String] {
    Text.rows([
      "trip": "\(trip.name.printable), \(trip.state.rawValue.printable)",
      "duration": Text.clock(trip.duration.inSeconds),
      "moving": Text.clock(trip.movingTime.inSeconds), "distance": units.distance(trip.distance),
      "ascent": trip.ascent.map { units.length($0, decimals: 0) },
      "descent": trip.descent.map { units.length($0, decimals: 0) }, "average": units.speed(trip.averageSpeed),
      "max.": units.speed(trip.maxSpeed),
      "heart rate": Self.range(trip.averageHeartRate, trip.maxHeartRate, "1/min"),
      "cadence": Self.range(trip.averageCadence, trip.maxCadence, "1/min"),
      "power": Self.range(trip.averagePower, trip.maxPower, "W"),
      "lap \(trip.lap)": "\(units.distance(trip.lapDistance)), moving \(Text.clock(trip.lapMovingTime.inSeconds))",
    ])
  }

  private static func range(_ average: Int?, _ maximum: Int?, _ unit: String) -> String? {
    maximum.map { "\(average.map { "\($0)" } ?? "-") \(unit), max. \($0)" }
  }

  func state(_ report: RecordReport) -> String {
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
    return jsonObject { line in
      line.field("ride", row.name)
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
      line.field("bytes", row.bytes)
      line.field("files", row.files.count)
      line.field("recording", row.isInProgress)
    }
  }
}

enum ForwardText {
  /// Rides that wait, the last acknowledgement and losses, without reading a ride.
  static func summary(_ state: ForwardState) -> String {
    let lost = losses(state).map { ", \($0) lost" } ?? ""
    return "\(waiting(state)), last acknowledgement \(acknowledged(state))\(lost)"
  }

  static func lines(_ state: ForwardState, backlog: (fixes: Int, oldest: UTCInstant?)) -> [String] {
    Text.rows([
      "rides": state.rideDirectory.printable, "waiting": waiting(state), "backlog": "\(backlog.fixes) fixes",
      "oldest": backlog.oldest.map(time), "last acknowledgement": acknowledged(state), "lost": losses(state),
    ])
  }

  private static func waiting(_ state: ForwardState) -> String {
    let rides: [Ride]
    do throws(RecordingError) {
      let directory = try RideDirectory(existing: state.rideDirectory)
      rides = try directory.ridesInOrder().filter { !directory.isInProgress($0) }
    } catch {
      return "\(state.rideDirectory.printable) cannot be read"
    }
    let waiting = rides.filter { state.rides[$0.name.stem]?.completeBytes != $0.bytes }
    guard let oldest = waiting.first else { return "all finished rides acknowledged" }
    return "\(waiting.count) of \(rides.count) finished rides wait, from \(oldest.name.stem) on"
  }

  private static func acknowledged(_ state: ForwardState) -> String { state.lastAcknowledgement.map(time) ?? "never" }

  private static func losses(_ state: ForwardState) -> String? {
    state.lastLostRide.map { "\(state.lostRides) rides, the last \($0.printable)" }
  }

  private static func time(_ instant: UTCInstant) -> String { "\(instant.text.prefix(19))Z" }
}

/// A ride on a terminal: its figures, a map of characters, its speed as a row of blocks.
enum MapText {
  /// Fits a ride into a terminal; the map takes at most 30 rows.
  static func lines(_ plot: RidePlot, title: String, units: Units, size: TerminalSize, style: Style) -> [String] {
    let columns = min(max(size.columns, 1), 200)
    let isASCII = !size.isUnicode
    var lines = [String(title.printable.prefix(columns))]
    lines += RideCaption.lines(plot, units: units).map { String((isASCII ? $0.ascii : $0).prefix(columns)) }
    let rows = min(max(size.rows - 8, 5), 30)
    if let map = CharacterMap(plot, columns: columns, rows: rows, isASCII: isASCII) {
      lines += map.rows.map { style.line($0.map { ($0.character, colours[$0.kind]) }) }
      let course = plot.hasCourse ? (isASCII ? ": course  " : "┈ course  ") : ""
      let marks =
        "S start  E end  o stop  x loss  \(course)\(isASCII ? "-" : "─") \(RideCaption.distance(map.width, units)) wide"
      lines.append(style.text(String(marks.prefix(columns)), .dim))
    }
    if let speed = SpeedLine.text(plot, columns: columns, isASCII: isASCII) { lines.append(speed) }
    return lines
  }

  private static let colours: [CharacterMap.Kind: Style.Colour] = [
    .start: .green, .stop: .yellow, .loss: .red, .course: .dim,
  ]
}
