/// The picture of a ride as SVG: a map with its legend, then speed, altitude, accuracy and what sensors measured over
/// time. 400 units wide like a phone's screen, so that its texts (11 to 16 units) are legible there without zooming;
/// light or dark as the reader prefers; nothing is loaded from elsewhere. At most ``maximumSize`` bytes whatever the
/// ride's length.
package struct RidePicture: Sendable {
  /// Largest size of a picture, bytes.
  package static let maximumSize = 400_000
  static let width = 400.0
  static let margin = 12.0

  let plot: RidePlot
  let units: Units
  var canvas = SVGCanvas()

  /// The file of a complete plot, with up to three lines about it; `nil` for a ride without a fix.
  package static func svg(
    _ plot: RidePlot, title: String, subtitles: [String], units: Units = .metric
  ) -> [UInt8]? {
    guard let region = plot.bounds.region else { return nil }
    var picture = RidePicture(plot: plot, units: units)
    let size = PlotProjection.metres(region)
    // As high as the ride's shape, within what leaves room for the rest.
    let shape = size.width > 0 ? size.height / size.width : 1
    let insets = mapInsets
    let drawn = width - 2 * margin - insets.left - insets.right
    let mapHeight = min(max(shape * drawn + insets.top + insets.bottom, 200), 380)
    let top = 36.0 + Double(subtitles.prefix(3).count) * 17
    let legend = picture.legendRows
    let legendHeight = Double(legend.count) * 20 + 12
    let charts = top + mapHeight + legendHeight
    let height = charts + picture.chartsHeight + 30
    picture.canvas.begin(title, subtitles, height: height)
    picture.map(region, top: top, height: mapHeight)
    picture.legend(legend, top: top + mapHeight + 20)
    picture.charts(top: charts)
    picture.canvas.raw("</svg>\n")
    return picture.canvas.bytes
  }

  /// A number with at most two decimals, as few as possible.
  static func short(_ number: Double) -> String { String(fixed: number, decimals: 2) }
}

package enum RideCaption {
  /// Three lines: date and time; distance and duration; ascent, average and maximum speed.
  package static func lines(_ plot: RidePlot, units: Units = .metric) -> [String] {
    let figures = plot.figures
    var lines: [String] = []
    if let start = figures.start {
      let (begin, end) = (LocalTime(start), LocalTime(figures.end ?? start))
      let zone = begin.zone == "Z" ? "UTC" : "UTC\(begin.zone)"
      lines.append("\(begin.date) · \(begin.time.prefix(5))–\(end.time.prefix(5)) \(zone)")
    }
    let (duration, moving) = (AxisTicks.duration(figures.duration), AxisTicks.duration(figures.movingTime))
    lines.append("\(distance(figures.distance, units)) · \(duration), moving \(moving)")
    var rates: [String] = []
    if let ascent = figures.ascent, ascent >= 1 { rates.append("↑ \(units.length(ascent, decimals: 0))") }
    if let average = figures.averageSpeed { rates.append("average \(units.speed(average))") }
    if let maximum = figures.maximumSpeed { rates.append("max. \(units.speed(maximum))") }
    if !rates.isEmpty { lines.append(rates.joined(separator: " · ")) }
    return lines
  }

  package static func distance(_ metres: Double, _ units: Units = .metric) -> String {
    guard units == .metric else { return units.distance(metres) }
    if metres < 1000 { return "\(String(fixed: metres, decimals: 0)) m" }
    return "\(String(fixed: metres / 1000, decimals: metres < 100_000 ? 2 : 1, trimmed: false)) km"
  }
}
