import LocationCore

/// The picture of a ride as SVG: a map, its legend, speed and accuracy over time.
///
/// 400 units wide, as a phone is, so that its texts (11 to 16 units) are read there without zooming; light or dark as
/// the reader has it; nothing is loaded from anywhere. At most ``maximumSize`` bytes whatever the ride's length.
package struct RidePicture: Sendable {
  /// The most bytes of a picture.
  package static let maximumSize = 400_000

  static let width = 400.0
  static let margin = 12.0

  let plot: RidePlot
  let title: String
  let subtitles: [String]
  var canvas = SVGCanvas()

  /// The picture of a gathered ride.
  ///
  /// - Parameters:
  ///   - title: the ride's name.
  ///   - subtitles: up to three lines about it.
  package init(_ plot: RidePlot, title: String, subtitles: [String]) {
    self.plot = plot
    self.title = title
    self.subtitles = subtitles
  }

  /// The file; `nil` for a ride without a fix.
  package func svg() -> [UInt8]? {
    guard let region = plot.bounds.region else { return nil }
    var picture = self
    let size = PlotProjection.metres(region)
    // As high as the ride is, within what leaves room for the rest.
    let shape = size.width > 0 ? size.height / size.width : 1
    let mapHeight = min(max(shape * (Self.width - 2 * Self.margin) + 24, 200), 380)
    let top = 36.0 + Double(subtitles.prefix(3).count) * 17
    let legend = picture.legendEntries
    let legendHeight = Double((legend.count + 1) / 2) * 20 + 12
    let charts = top + mapHeight + legendHeight
    let height = charts + 2 * Self.chartHeight + 30
    picture.begin(height: height)
    picture.heading()
    picture.map(region, top: top, height: mapHeight)
    picture.legend(legend, top: top + mapHeight + 20)
    picture.charts(top: charts)
    picture.canvas.raw("</svg>\n")
    return picture.canvas.bytes
  }

  private mutating func begin(height: Double) {
    canvas.begin(width: Self.width, height: height)
    canvas.raw("<title>")
    canvas.escaped(title)
    canvas.raw("</title>\n")
    canvas.style()
    canvas.rectangle(x: 0, y: 0, width: Self.width, height: height, "paper")
  }

  private mutating func heading() {
    canvas.text(Self.cut(title, 42), x: Self.margin, y: 26, "ink title")
    for (index, line) in subtitles.prefix(3).enumerated() {
      canvas.text(Self.cut(line, 62), x: Self.margin, y: 44 + Double(index) * 17, "muted")
    }
  }

  /// A text no longer than fits.
  static func cut(_ text: String, _ count: Int) -> String {
    text.count <= count ? text : text.prefix(count - 1) + "…"
  }
}

/// What a picture says about its ride in words.
package enum RideCaption {
  /// Three lines: when; how far and how long; how high and how fast.
  package static func lines(_ plot: RidePlot) -> [String] {
    let figures = plot.figures
    var lines: [String] = []
    if let start = figures.start {
      lines.append("\(date(start)) · \(clock(start))–\(clock(figures.end ?? start)) UTC")
    }
    let (duration, moving) = (AxisTicks.duration(figures.duration), AxisTicks.duration(figures.movingTime))
    lines.append("\(distance(figures.distance)) · \(duration), moving \(moving)")
    var rates: [String] = []
    if let ascent = figures.ascent, ascent >= 1 { rates.append("↑ \(rounded(ascent, 0)) m") }
    if let mean = figures.averageSpeed { rates.append("mean \(rounded(mean * 3.6, 1)) km/h") }
    if let maximum = figures.maximumSpeed { rates.append("max \(rounded(maximum * 3.6, 1)) km/h") }
    if !rates.isEmpty { lines.append(rates.joined(separator: " · ")) }
    return lines
  }

  private static func distance(_ metres: Double) -> String {
    metres < 1000 ? "\(rounded(metres, 0)) m" : "\(rounded(metres / 1000, metres < 100_000 ? 2 : 1)) km"
  }

  private static func date(_ instant: UTCInstant) -> String { String(iso(instant).prefix(10)) }

  private static func clock(_ instant: UTCInstant) -> String { String(iso(instant).dropFirst(11).prefix(5)) }

  private static func iso(_ instant: UTCInstant) -> String {
    var bytes: [UInt8] = []
    bytes.append(iso8601: instant)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func rounded(_ number: Double, _ decimals: Int) -> String {
    var bytes: [UInt8] = []
    bytes.append(fixed: number, decimals: decimals)
    return String(decoding: bytes, as: UTF8.self)
  }
}
