extension RidePicture {
  struct LegendEntry {
    enum Symbol { case start, end, recorded, filtered, predicted, course, stop, loss, free, follow }

    /// Units of a character in the widest of the fonts.
    private static let characterWidth = 7.4
    private static let textOffset = 17.0

    var symbol: Symbol
    var text: String

    fileprivate var width: Double { 12 + Self.textOffset + Self.characterWidth * Double(text.count) }
  }

  var legendRows: [[LegendEntry]] {
    let half = Self.width / 2 - Self.margin
    var rows: [[LegendEntry]] = []
    for entry in legendEntries {
      if entry.width <= half, let last = rows.last, last.count == 1, last[0].width <= half {
        rows[rows.count - 1].append(entry)
      } else {
        rows.append([entry])
      }
    }
    return rows
  }

  private var legendEntries: [LegendEntry] {
    var entries = [
      LegendEntry(symbol: .start, text: "start"), LegendEntry(symbol: .end, text: "end"),
      LegendEntry(symbol: .recorded, text: Self.counted(plot.fixCount, "recorded position", "recorded positions")),
      LegendEntry(symbol: .filtered, text: "\(plot.filteredCount) every \(units.length(10, decimals: 0))"),
    ]
    if plot.predicted != nil { entries.append(LegendEntry(symbol: .predicted, text: "poses between them")) }
    if plot.course != nil { entries.append(LegendEntry(symbol: .course, text: "course")) }
    func add(_ symbol: LegendEntry.Symbol, _ marks: PlotMarks, _ one: String, _ many: String) {
      guard marks.count > 0 else { return }
      let time = AxisTicks.duration(marks.marks.reduce(0) { $0 + $1.duration })
      entries.append(LegendEntry(symbol: symbol, text: "\(Self.counted(marks.count, one, many)), \(time)"))
    }
    add(.stop, plot.stops, "stop", "stops")
    add(.loss, plot.losses, "signal loss", "signal losses")
    if plot.followCount > 0 {
      entries.append(LegendEntry(symbol: .free, text: "map stopped following"))
      entries.append(LegendEntry(symbol: .follow, text: "map follows again"))
    }
    return entries
  }

  mutating func legend(_ rows: [[LegendEntry]], top: Double) {
    for (row, entries) in rows.enumerated() {
      for (column, entry) in entries.enumerated() {
        let x = Self.margin + 12 + Double(column) * (Self.width / 2 - Self.margin)
        let y = top + Double(row) * 20
        symbol(entry.symbol, (x, y - 4))
        canvas.text(entry.text, x: x + 17, y: y, "ink")
      }
    }
  }

  private mutating func symbol(_ symbol: LegendEntry.Symbol, _ point: Point) {
    switch symbol {
    case .start: startTriangle(point)
    case .end: endSquare(point)
    case .recorded:
      canvas.beginPath("raw")
      canvas.move(point)
      for (east, down) in [(-6.0, 2.0), (-2, -2), (2, 1), (6, -1)] { canvas.dot((point.x + east, point.y + down)) }
      canvas.endPath()
    case .filtered:
      canvas.path("way", [(point.x - 8, point.y), (point.x + 8, point.y)])
      canvas.beginPath("fix")
      canvas.move(point)
      canvas.dot(point)
      canvas.endPath()
    case .predicted: canvas.path("predicted", [(point.x - 8, point.y), (point.x + 8, point.y)])
    case .course: canvas.path("course", [(point.x - 6, point.y), (point.x + 6, point.y)])
    case .stop: stop(point, radius: 5, count: 1)
    case .loss:
      canvas.path("loss", [(point.x - 9, point.y), (point.x + 9, point.y)])
      lossCross(point)
    case .free: followDiamond(point, isFollowing: false)
    case .follow: followDiamond(point, isFollowing: true)
    }
  }

  private static func counted(_ count: Int, _ one: String, _ many: String) -> String {
    "\(count) \(count == 1 ? one : many)"
  }
}
