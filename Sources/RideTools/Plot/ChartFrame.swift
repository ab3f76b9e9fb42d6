struct ChartFrame: Sendable {
  let left = RidePicture.margin + 30
  let right = RidePicture.width - RidePicture.margin
  let top: Double
  let bottom: Double
  /// Of the horizontal axis, which begins at 0.
  let length: Double
  let axis: ClosedRange<Double>
  let step: Double

  init(around range: ClosedRange<Double>, top: Double, bottom: Double, length: Double) {
    (self.top, self.bottom, self.length) = (top, bottom, length)
    step = AxisTicks.step(range.upperBound - range.lowerBound, parts: 4)
    axis = (range.lowerBound / step).rounded(.down) * step...(range.upperBound / step).rounded(.up) * step
  }

  /// A range of heights of at least 20 m, so that noise does not look like hills.
  static func heights(_ range: ClosedRange<Double>?) -> ClosedRange<Double> {
    guard let range else { return 0...20 }
    let missing = max(20 - (range.upperBound - range.lowerBound), 0)
    return (range.lowerBound - missing / 2)...(range.upperBound + missing / 2)
  }

  func x(_ place: Double) -> Double { left + (right - left) * min(max(place / length, 0), 1) }

  func y(_ value: Double) -> Double {
    let share = (value - axis.lowerBound) / (axis.upperBound - axis.lowerBound)
    return bottom - (bottom - top) * min(max(share, 0), 1)
  }
}

extension SVGCanvas {
  mutating func grid(_ frame: ChartFrame) {
    for number in 0...Int(((frame.axis.upperBound - frame.axis.lowerBound) / frame.step).rounded()) {
      let value = frame.axis.lowerBound + Double(number) * frame.step
      line(frame.left, frame.y(value), frame.right, frame.y(value), "grid")
      text(RidePicture.short(value), x: frame.left - 5, y: frame.y(value) + 4, "muted small", anchor: .end)
    }
  }

  /// Fills the height of a chart between two places of its horizontal axis, never less than is visible.
  mutating func shade(_ begin: Double, _ end: Double, in frame: ChartFrame, _ style: StaticString) {
    let x = frame.x(begin)
    rectangle(x: x, y: frame.top, width: max(frame.x(end) - x, 1.5), height: frame.bottom - frame.top, style)
  }

  mutating func begin(_ title: String, _ subtitles: [String], height: Double) {
    begin(width: RidePicture.width, height: height)
    raw("<title>")
    escaped(title)
    raw("</title>\n")
    style()
    rectangle(x: 0, y: 0, width: RidePicture.width, height: height, "paper")
    text(Self.cut(title, 42), x: RidePicture.margin, y: 26, "ink title")
    for (index, line) in subtitles.prefix(3).enumerated() {
      text(Self.cut(line, 62), x: RidePicture.margin, y: 44 + Double(index) * 17, "muted")
    }
  }

  private static func cut(_ text: String, _ count: Int) -> String {
    text.count <= count ? text : text.prefix(count - 1) + "…"
  }
}
