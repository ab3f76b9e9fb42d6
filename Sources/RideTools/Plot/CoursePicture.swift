import LocationCore

/// The picture of a course as SVG: its heights along the way with the climbs and cues, and lists of these.
package struct CoursePicture: Sendable {
  /// Columns of the plot that it needs.
  package static let columns = Int(RidePicture.width)
  private static let chartHeight = 190.0
  private static let rowHeight = 20.0
  private static let ends = [110.0, 180, 260, 330]
  private static let longestCue = 40
  private static let numberSpacing = 14.0

  private let plot: CoursePlot
  private var canvas = SVGCanvas()

  package static func svg(_ plot: CoursePlot, title: String) -> [UInt8] {
    var picture = CoursePicture(plot: plot)
    let chart = 36.0 + 17
    let list = chart + Self.chartHeight + 34
    let rows = plot.climbs.count + plot.cues.count + (plot.climbs.isEmpty ? 0 : 1)
    picture.canvas.begin(title, [plot.caption], height: list + Double(rows) * Self.rowHeight + 8)
    picture.chart(top: chart)
    var y = list + 10
    if !plot.climbs.isEmpty { picture.head(CoursePlot.heads, y: &y) }
    for (index, climb) in plot.climbs.enumerated() { picture.row(index, climb, y: &y) }
    for cue in plot.cues {
      picture.canvas.text(plot.text(cue), x: Self.ends[0], y: y, "ink", anchor: .end)
      picture.canvas.text(String(cue.text.prefix(Self.longestCue)), x: Self.ends[0] + 20, y: y, "ink")
      y += Self.rowHeight
    }
    picture.canvas.raw("</svg>\n")
    return picture.canvas.bytes
  }

  private mutating func chart(top: Double) {
    let units = plot.units
    let (height, axis) = (units.lengthValue(1), ChartFrame.heights(plot.range))
    let frame = ChartFrame(
      around: axis.lowerBound * height...axis.upperBound * height, top: top + 38, bottom: top + Self.chartHeight - 8,
      length: plot.length)
    canvas.text("Elevation, \(units.lengthUnit)", x: RidePicture.margin, y: top + 14, "ink bold")
    canvas.grid(frame)
    var free = frame.left
    for (index, climb) in plot.climbs.enumerated() {
      canvas.shade(climb.begin, climb.end, in: frame, Self.style(climb))
      let middle = (frame.x(climb.begin) + frame.x(climb.end)) / 2
      guard middle >= free else { continue }
      canvas.text("\(index + 1)", x: middle, y: frame.top - 5, "ink small", anchor: .middle)
      free = middle + Self.numberSpacing
    }
    for x in plot.cues.map({ frame.x($0.along) }) { canvas.line(x, frame.top, x, frame.top + 10, "rule") }
    let unit = plot.length / Double(plot.heights.count)
    let way = plot.heights.enumerated().map { column, metres in
      (x: frame.x((Double(column) + 0.5) * unit), y: frame.y(metres * height))
    }
    canvas.path(
      "altitudearea", way + [(x: frame.right, y: frame.bottom), (x: frame.left, y: frame.bottom)], isClosed: true)
    canvas.path("altitude", way)
    // Short ways are in metres or feet.
    let length = units.wayValue(plot.length)
    let isShort = units != .si && AxisTicks.step(length, parts: 8) < (units == .metric ? 1 : 0.25)
    let (end, name) = isShort ? (units.lengthValue(plot.length), units.lengthUnit) : (length, units.wayUnit)
    for place in AxisTicks.multiples(of: AxisTicks.step(end, parts: 8), in: 0...end) {
      let x = frame.x(place / end * plot.length)
      canvas.line(x, frame.bottom, x, frame.bottom + 5, "rule")
      let anchor: SVGCanvas.Anchor = x > frame.right - 24 ? .end : .middle
      canvas.text(
        place > 0 ? "\(RidePicture.short(place)) \(name)" : "0", x: x, y: frame.bottom + 18, "muted small",
        anchor: anchor)
    }
  }

  private mutating func head(_ names: [String], y: inout Double) {
    for (name, x) in zip(names, Self.ends) { canvas.text(name, x: x, y: y, "muted small", anchor: .end) }
    y += Self.rowHeight
  }

  private mutating func row(_ index: Int, _ climb: CoursePlot.Climb, y: inout Double) {
    canvas.rectangle(x: RidePicture.margin, y: y - 11, width: 20, height: 15, Self.style(climb))
    canvas.text("\(index + 1)", x: RidePicture.margin + 10, y: y, "ink small", anchor: .middle)
    for (text, x) in zip(plot.texts(climb), Self.ends) { canvas.text(text, x: x, y: y, "ink", anchor: .end) }
    y += Self.rowHeight
  }

  private static func style(_ climb: CoursePlot.Climb) -> StaticString { climb.isSteep ? "climb" : "hill" }
}
