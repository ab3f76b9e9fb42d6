extension RidePicture {
  static let chartHeight = 128.0
  /// Of a chart without a value, which is a line of text.
  private static let emptyHeight = 24.0

  private struct Chart {
    var title: String
    var series: PlotSeries
    /// From the series' unit to the chart's.
    var factor = 1.0
    /// The axis, in the chart's unit, before it is widened to round numbers.
    var axis: ClosedRange<Double>
    var line: StaticString
    /// The class of the area between lowest and highest values.
    var band: StaticString
    /// The class of the area below the line, if that is filled.
    var area: StaticString?
    var missing: String

    var height: Double { series.range == nil ? RidePicture.emptyHeight : RidePicture.chartHeight }
  }

  private var panels: [Chart] {
    let (speed, length) = (units.speedValue(1), units.lengthValue(1))
    // One bad moment does not flatten everything else.
    let accuracy = min(max(plot.accuracy.range?.upperBound ?? 0, 5), 100)
    let heights = ChartFrame.heights(plot.altitude.range)
    let always = [
      Chart(
        title: "Speed, \(units.speedUnit)", series: plot.speed, factor: speed,
        axis: 0...max((plot.speed.range?.upperBound ?? 0) * speed, 10), line: "speed", band: "band",
        missing: "no speed recorded"),
      Chart(
        title: "Altitude, \(units.lengthUnit)", series: plot.altitude, factor: length,
        axis: heights.lowerBound * length...heights.upperBound * length, line: "altitude", band: "altitudeband",
        area: "altitudearea", missing: "no altitude recorded"),
      Chart(
        title: "Accuracy (95 %), \(units.lengthUnit)", series: plot.accuracy, factor: length,
        axis: 0...(accuracy * length), line: "accuracy", band: "accuracyband", missing: "no accuracy recorded"),
    ]
    let measured = plot.sensors.compactMap { title, series in
      series.range.map { range in
        Chart(
          title: title, series: series, axis: 0...max(range.upperBound, 10), line: "speed", band: "band", missing: "")
      }
    }
    return always + measured
  }

  var chartsHeight: Double { panels.reduce(0) { $0 + $1.height } }

  mutating func charts(top: Double) {
    let seconds = max(plot.end, 1)
    var bottom = top
    for chart in panels {
      draw(chart, seconds: seconds, top: bottom)
      bottom += chart.height
    }
    timeAxis(seconds, bottom: bottom)
  }

  private mutating func draw(_ chart: Chart, seconds: Double, top: Double) {
    canvas.text(chart.title, x: Self.margin, y: top + 14, "ink bold")
    guard chart.series.range != nil else {
      return canvas.text(chart.missing, x: Self.width - Self.margin, y: top + 14, "muted", anchor: .end)
    }
    let frame = ChartFrame(
      around: chart.axis, top: top + 24, bottom: top + Self.chartHeight - 8, length: seconds)
    canvas.grid(frame)
    for mark in plot.stops.marks { canvas.shade(mark.begin, mark.end, in: frame, "still") }
    for mark in plot.losses.marks { canvas.shade(mark.begin, mark.end, in: frame, "lost") }
    for mark in plot.follows {
      canvas.line(frame.x(mark.seconds), frame.top, frame.x(mark.seconds), frame.bottom, "turn")
    }
    let runs = chart.series.runs
    if let area = chart.area {
      fill(runs, area, frame, upper: { $0.mean * chart.factor }, lower: { _ in frame.axis.lowerBound })
    }
    fill(runs, chart.band, frame, upper: { $0.highest * chart.factor }, lower: { $0.lowest * chart.factor })
    canvas.beginPath(chart.line)
    for run in runs { canvas.polyline(run.map { (frame.x($0.seconds), frame.y($0.bin.mean * chart.factor)) }) }
    canvas.endPath()
  }

  private mutating func fill(
    _ runs: [[(seconds: Double, bin: PlotSeries.Bin)]], _ style: StaticString, _ frame: ChartFrame,
    upper: (PlotSeries.Bin) -> Double, lower: (PlotSeries.Bin) -> Double
  ) {
    canvas.beginPath(style)
    for run in runs where run.count > 1 {
      let above = run.map { (x: frame.x($0.seconds), y: frame.y(upper($0.bin))) }
      let below = run.reversed().map { (x: frame.x($0.seconds), y: frame.y(lower($0.bin))) }
      canvas.polyline(above + below, isClosed: true)
    }
    canvas.endPath()
  }

  private mutating func timeAxis(_ seconds: Double, bottom: Double) {
    let frame = ChartFrame(around: 0...1, top: 0, bottom: bottom, length: seconds)
    let step = AxisTicks.timeStep(seconds, parts: 5)
    for number in 0...Int(seconds / step) {
      let time = Double(number) * step
      let x = frame.x(time)
      canvas.line(x, bottom - 8, x, bottom - 3, "rule")
      // A text at the very end would not fit.
      let anchor: SVGCanvas.Anchor = number == 0 ? .start : x > frame.right - 24 ? .end : .middle
      canvas.text(
        AxisTicks.text(time, step: step, length: seconds), x: x, y: bottom + 10, "muted small", anchor: anchor)
    }
  }
}
