/// Speed and accuracy over time.
extension RidePicture {
  static let chartHeight = 128.0

  private struct Frame {
    let left = RidePicture.margin + 30
    let right = RidePicture.width - RidePicture.margin
    let top: Double
    let bottom: Double
    let seconds: Double
    let highest: Double

    func x(_ time: Double) -> Double { left + (right - left) * min(max(time / seconds, 0), 1) }
    func y(_ value: Double) -> Double { bottom - (bottom - top) * min(max(value / highest, 0), 1) }
  }

  /// Draws both charts, one under the other, on one time axis.
  mutating func charts(top: Double) {
    let seconds = max(plot.end, 1)
    let speed = (plot.speed.highest ?? 0) * 3.6
    chart(
      "Speed, km/h", plot.speed, factor: 3.6, highest: max(speed, 10), seconds: seconds, top: top,
      line: "speed", band: "band", missing: "the receiver told no speed")
    // One bad moment does not press everything else onto the axis.
    let accuracy = min(max(plot.accuracy.highest ?? 0, 5), 100)
    chart(
      "Accuracy, 95 %, m", plot.accuracy, factor: 1, highest: accuracy, seconds: seconds, top: top + Self.chartHeight,
      line: "accuracy", band: "accuracyband", missing: "the receiver told no accuracy")
    timeAxis(seconds, top: top, bottom: top + 2 * Self.chartHeight)
  }

  private mutating func chart(
    _ title: String, _ series: PlotSeries, factor: Double, highest: Double, seconds: Double, top: Double,
    line: StaticString, band: StaticString, missing: String
  ) {
    let step = AxisTicks.step(highest, parts: 4)
    let ceiling = (highest / step).rounded(.up) * step
    let frame = Frame(top: top + 24, bottom: top + Self.chartHeight - 8, seconds: seconds, highest: ceiling)
    canvas.text(title, x: Self.margin, y: top + 14, "ink bold")
    for number in 0...Int((ceiling / step).rounded()) {
      let value = Double(number) * step
      canvas.line(frame.left, frame.y(value), frame.right, frame.y(value), "grid")
      canvas.text(Self.short(value), x: frame.left - 5, y: frame.y(value) + 4, "muted small", anchor: .end)
    }
    for mark in plot.stops.marks { shade(mark, frame, "still") }
    for mark in plot.losses.marks { shade(mark, frame, "lost") }
    for mark in plot.follows {
      canvas.line(frame.x(mark.seconds), frame.top, frame.x(mark.seconds), frame.bottom, "turn")
    }
    guard series.highest != nil else {
      canvas.text(
        missing, x: (frame.left + frame.right) / 2, y: (frame.top + frame.bottom) / 2, "muted", anchor: .middle)
      return
    }
    let runs = Self.runs(of: series)
    canvas.beginPath(band)
    for run in runs where run.count > 1 {
      for (index, point) in run.enumerated() {
        let place = (frame.x(point.seconds), frame.y(point.bin.highest * factor))
        if index == 0 { canvas.move(place) } else { canvas.draw(place) }
      }
      for point in run.reversed() { canvas.draw((frame.x(point.seconds), frame.y(point.bin.lowest * factor))) }
      canvas.close()
    }
    canvas.endPath()
    canvas.beginPath(line)
    for run in runs {
      for (index, point) in run.enumerated() {
        let place = (frame.x(point.seconds), frame.y(point.bin.mean * factor))
        if index == 0 { canvas.move(place) } else { canvas.draw(place) }
      }
    }
    canvas.endPath()
  }

  private mutating func shade(_ mark: PlotMark, _ frame: Frame, _ style: StaticString) {
    let x = frame.x(mark.begin)
    canvas.rectangle(
      x: x, y: frame.top, width: max(frame.x(mark.end) - x, 1.5), height: frame.bottom - frame.top, style)
  }

  private mutating func timeAxis(_ seconds: Double, top: Double, bottom: Double) {
    let frame = Frame(top: top, bottom: bottom, seconds: seconds, highest: 1)
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

  /// The bins that belong together, in order; a bin whose way is not known begins anew.
  private static func runs(of series: PlotSeries) -> [[(seconds: Double, bin: PlotSeries.Bin)]] {
    var runs: [[(seconds: Double, bin: PlotSeries.Bin)]] = []
    for (index, bin) in series.bins.enumerated() {
      guard let bin else { continue }
      let point = (seconds: (Double(index) + 0.5) * series.width, bin: bin)
      if bin.isApart || runs.isEmpty { runs.append([point]) } else { runs[runs.count - 1].append(point) }
    }
    return runs
  }
}
