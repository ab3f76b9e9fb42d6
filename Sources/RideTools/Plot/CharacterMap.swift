import LocationCore

/// The map of a ride in characters: braille patterns of 2 × 4 dots each, or ASCII.
package struct CharacterMap: Sendable {
  package enum Kind: Hashable, Sendable { case blank, track, course, start, end, stop, loss }

  package typealias Cell = (character: Character, kind: Kind)

  /// The rows from north to south, all of one length.
  package let rows: [[Cell]]
  /// Metres from the left to the right edge.
  package let width: Double

  private struct Field {
    var dots: UInt8 = 0
    var hasTrack = false
    var mark: Kind?
  }

  /// The map of a complete plot in at most so many columns and rows; `nil` for a ride without a fix, or without room.
  package init?(_ plot: RidePlot, columns: Int, rows maximumRows: Int, isASCII: Bool = false) {
    guard columns > 0, maximumRows > 0, let region = plot.bounds.region else { return nil }
    let columns = min(columns, 400)
    let across = isASCII ? 1 : 2
    // A character is about twice as high as it is wide, so braille dots are square.
    let down = isASCII ? 2 : 4
    let size = PlotProjection.metres(region)
    let units = Double(columns * across)
    let wanted = size.height / max(size.width, 40) * units / Double(down) + 1
    let count = max(min(maximumRows, wanted < Double(maximumRows) ? Int(wanted) + 1 : maximumRows), min(maximumRows, 3))
    let inset = 0.5 * Double(across)
    let projection = PlotProjection(
      region, width: units, height: Double(count * down), insets: (inset, inset, inset, inset))
    var fields = Array(repeating: Array(repeating: Field(), count: columns), count: count)

    func cell(_ point: (x: Double, y: Double)) -> (column: Int, row: Int, x: Int, y: Int) {
      let x = Int(min(max(point.x, 0), units - 1))
      let y = Int(min(max(point.y, 0), Double(count * down) - 1))
      return (x / across, y / down, x % across, y % down)
    }
    func dot(_ point: (x: Double, y: Double), _ kind: Kind) {
      let (column, row, x, y) = cell(point)
      if kind == .track { fields[row][column].hasTrack = true }
      fields[row][column].dots |= Self.bit(x: isASCII ? 0 : x, y: isASCII ? 0 : y)
    }
    func mark(_ coordinate: Coordinate, _ kind: Kind) {
      let (column, row, _, _) = cell(projection.point(coordinate))
      fields[row][column].mark = kind
    }

    func line(_ path: PlotPath, every spacing: Int, _ kind: Kind) {
      for part in path.parts {
        var last: (x: Double, y: Double)?
        var way = 0.0
        for coordinate in part {
          let point = projection.point(coordinate)
          let from = last ?? point
          let length = max(abs(point.x - from.x), abs(point.y - from.y))
          let steps = length.rounded(.up)
          for step in 0...Int(min(steps, 4000)) {
            let share = steps > 0 ? Double(step) / steps : 0
            guard Int(way + share * length) % spacing == 0 else { continue }
            dot((from.x + (point.x - from.x) * share, from.y + (point.y - from.y) * share), kind)
          }
          way += length
          last = point
        }
      }
    }

    // A dotted line, which differs from the ride's without colours.
    if let course = plot.course { line(course, every: isASCII ? 1 : 3, .course) }
    line(plot.path, every: 1, .track)
    for stop in plot.stops.marks { mark(stop.position, .stop) }
    for loss in plot.losses.marks { mark(loss.position, .loss) }
    if let last = plot.last { mark(last.position, .end) }
    if let first = plot.first { mark(first.position, .start) }
    rows = fields.map { $0.map { Self.cell($0, isASCII: isASCII) } }
    width = units / projection.scale
  }

  private static let marks: [Kind: Character] = [.start: "S", .end: "E", .stop: "o", .loss: "x"]

  private static func cell(_ field: Field, isASCII: Bool) -> Cell {
    if let kind = field.mark, let character = marks[kind] { return (character, kind) }
    guard field.dots != 0 else { return (" ", .blank) }
    let kind: Kind = field.hasTrack ? .track : .course
    if isASCII { return (field.hasTrack ? "." : ":", kind) }
    let scalar = Unicode.Scalar(0x2800 + UInt32(field.dots)) ?? "."
    return (Character(scalar), kind)
  }

  /// The bit of a dot in Unicode's braille patterns: two columns of three, then the fourth row.
  private static func bit(x: Int, y: Int) -> UInt8 { y < 3 ? 1 << UInt8(y + 3 * x) : 1 << UInt8(6 + x) }
}

/// Speed over time in one row of block characters.
package enum SpeedLine {
  package static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
  private static let ascii: [Character] = ["_", ".", "-", "=", "+", "*", "%", "#"]

  /// The highest speed of each of so many intervals; a blank for one without a speed. `nil` for a ride without any.
  package static func text(_ plot: RidePlot, columns: Int, isASCII: Bool = false) -> String? {
    guard let highest = plot.speed.range?.upperBound, columns > 0, plot.end > 0 else { return nil }
    let symbols = isASCII ? ascii : blocks
    var heights = [Double?](repeating: nil, count: columns)
    for (index, bin) in plot.speed.bins.enumerated() {
      guard let bin else { continue }
      // A bin may be longer than a column.
      let from = Double(index) * plot.speed.width / plot.end * Double(columns)
      let to = Double(index + 1) * plot.speed.width / plot.end * Double(columns)
      let first = min(max(Int(from), 0), columns - 1)
      for column in first...min(max(Int(to.rounded(.up)) - 1, first), columns - 1) {
        heights[column] = max(heights[column] ?? 0, bin.highest)
      }
    }
    return String(
      heights.map { height in
        guard let height else { return " " }
        return symbols[min(Int(height / max(highest, 0.1) * Double(symbols.count)), symbols.count - 1)]
      })
  }
}
