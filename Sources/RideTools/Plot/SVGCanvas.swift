/// A writer of SVG elements. Lengths are units of the view box; colours and fonts come from classes.
struct SVGCanvas: Sendable {
  private(set) var bytes: [UInt8] = []

  enum Anchor: String { case start, middle, end }

  typealias Point = (x: Double, y: Double)

  mutating func raw(_ text: StaticString) { bytes.append(text) }
  mutating func escaped(_ text: String) { bytes.append(xml: text) }

  mutating func text(_ text: String, x: Double, y: Double, _ style: StaticString, anchor: Anchor = .start) {
    tag("text", ["x": x, "y": y])
    if anchor != .start {
      bytes.append(" text-anchor=\"")
      bytes.append(contentsOf: anchor.rawValue.utf8)
      bytes.append("\"")
    }
    classes(style)
    bytes.append(">")
    bytes.append(xml: text)
    bytes.append("</text>\n")
  }

  mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: StaticString) {
    element("line", ["x1": x1, "y1": y1, "x2": x2, "y2": y2], style)
  }

  mutating func rectangle(x: Double, y: Double, width: Double, height: Double, _ style: StaticString) {
    element("rect", ["x": x, "y": y, "width": width, "height": height], style)
  }

  mutating func element(_ name: StaticString, _ attributes: KeyValuePairs<StaticString, Double>, _ style: StaticString)
  {
    tag(name, attributes)
    classes(style)
    bytes.append("/>\n")
  }

  /// Writes a tag up to its last attribute.
  mutating func tag(_ name: StaticString, _ attributes: KeyValuePairs<StaticString, Double>) {
    bytes.append("<")
    bytes.append(name)
    for (name, value) in attributes {
      bytes.append(" ")
      bytes.append(name)
      bytes.append("=\"")
      bytes.append(fixed: value, decimals: 1)
      bytes.append("\"")
    }
  }

  mutating func path(_ style: StaticString, _ points: [Point], isClosed: Bool = false) {
    beginPath(style)
    polyline(points, isClosed: isClosed)
    endPath()
  }

  /// Begins a path in tenths of a unit: `move`, `dot` and `polyline` follow, then `endPath`.
  mutating func beginPath(_ style: StaticString) {
    bytes.append("<path transform=\"scale(.1)\"")
    classes(style)
    bytes.append(" d=\"")
    pen = (0, 0)
  }

  mutating func endPath() { bytes.append("\"/>\n") }

  /// Draws lines from each point to the next, without those of no length.
  mutating func polyline(_ points: [Point], isClosed: Bool = false) {
    guard let first = points.first else { return }
    move(first)
    var isDrawing = false
    for point in points.dropFirst() {
      let target = Self.tenths(point)
      let step = (x: target.x - pen.x, y: target.y - pen.y)
      guard step != (0, 0) else { continue }
      bytes.append(isDrawing ? " " : "l")
      pair(step.x, step.y)
      pen = target
      isDrawing = true
    }
    if isClosed { bytes.append("z") }
  }

  mutating func move(_ point: Point) {
    let target = Self.tenths(point)
    bytes.append("M")
    pair(target.x, target.y)
    pen = target
  }

  /// Draws a dot of the size of the round line caps.
  mutating func dot(_ point: Point) {
    let target = Self.tenths(point)
    bytes.append("m")
    pair(target.x - pen.x, target.y - pen.y)
    bytes.append("h0")
    pen = target
  }

  private var pen = (x: Int64(0), y: Int64(0))

  static func distance(_ one: Point, _ other: Point) -> Double {
    let (x, y) = (one.x - other.x, one.y - other.y)
    return (x * x + y * y).squareRoot()
  }

  static func tenths(_ point: Point) -> (x: Int64, y: Int64) {
    func bounded(_ value: Double) -> Int64 { value.isFinite ? Int64(min(max(value, -1e6), 1e6) * 10) : 0 }
    return (bounded(point.x), bounded(point.y))
  }

  private mutating func pair(_ x: Int64, _ y: Int64) {
    bytes.append(decimal: x)
    if y >= 0 { bytes.append(" ") }
    bytes.append(decimal: y)
  }

  private mutating func classes(_ style: StaticString) {
    bytes.append(" class=\"")
    bytes.append(style)
    bytes.append("\"")
  }

  mutating func begin(width: Double, height: Double) {
    raw("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ")
    bytes.append(fixed: width, decimals: 1)
    raw(" ")
    bytes.append(fixed: height, decimals: 1)
    raw("\">\n")
  }

  /// Writes colours and fonts, for light and dark. Text has a contrast of at least 4.5; meanings differ in shape too.
  mutating func style() {
    raw(
      """
      <style>
      text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
      .title{font-size:16px;font-weight:700}.small{font-size:11px}.tiny{font-size:10px}
      .count{font-size:9px;font-weight:700;fill:#3d2800}.bold{font-weight:700}
      .paper{fill:#fff}.panel{fill:#f3f5f7}.ink{fill:#1b1f24}.muted{fill:#4e5864}
      .grid{stroke:#cfd6dd;stroke-width:.8}.rule{stroke:#4e5864;stroke-width:1.4}
      .raw{fill:none;stroke:#98a4b0;stroke-width:38;stroke-linecap:round}
      .way{fill:none;stroke:#0b62c4;stroke-width:17;stroke-linejoin:round;stroke-linecap:round}
      .fix{fill:none;stroke:#0b3f82;stroke-width:36;stroke-linecap:round}
      .predicted{fill:none;stroke:#b0007a;stroke-width:9;stroke-linejoin:round}
      .course{fill:none;stroke:#1a7f37;stroke-opacity:.4;stroke-width:70;stroke-linejoin:round;stroke-linecap:round}
      .climb{fill:#c4261d;opacity:.16}.hill{fill:#ffb000;opacity:.25}
      .loss{fill:none;stroke:#c4261d;stroke-width:22;stroke-dasharray:55 45}
      .lost{fill:#c4261d;opacity:.16}.cross{stroke:#c4261d;stroke-width:2.4;stroke-linecap:round}
      .stop{fill:#ffb000;stroke:#5c3d00;stroke-width:1.2}.still{fill:#ffb000;opacity:.25}
      .free{fill:#fff;stroke:#7a1fa2;stroke-width:2}.follow{fill:#7a1fa2;stroke:#fff;stroke-width:1}
      .turn{stroke:#7a1fa2;stroke-width:1.4;stroke-dasharray:3 2}
      .begin{fill:#1a7f37;stroke:#fff;stroke-width:1.5}.finish{fill:#1b1f24;stroke:#fff;stroke-width:1.5}
      .band{fill:#0b62c4;opacity:.22}.speed{fill:none;stroke:#0b62c4;stroke-width:15;stroke-linejoin:round}
      .accuracyband{fill:#a04a00;opacity:.22}
      .accuracy{fill:none;stroke:#a04a00;stroke-width:15;stroke-linejoin:round}
      .altitudearea{fill:#0b6b70;opacity:.14}.altitudeband{fill:#0b6b70;opacity:.22}
      .altitude{fill:none;stroke:#0b6b70;stroke-width:15;stroke-linejoin:round}
      .tenfold{stroke-width:18}
      @media (prefers-color-scheme:dark){
      .paper{fill:#0d1117}.panel{fill:#171d26}.ink{fill:#f0f3f6}.muted{fill:#a9b4c0}
      .grid{stroke:#36404c}.rule{stroke:#a9b4c0}.raw{stroke:#5c6875}.way{stroke:#58a6ff}.fix{stroke:#a5d0ff}.predicted{stroke:#ff8ad8}
      .course{stroke:#3fb950}.climb{fill:#ff7b72}
      .loss,.cross{stroke:#ff7b72}.lost{fill:#ff7b72}.stop{stroke:#fff3d1}
      .free{fill:#0d1117;stroke:#d2a8ff}.follow{fill:#d2a8ff;stroke:#0d1117}.turn{stroke:#d2a8ff}
      .begin{fill:#3fb950;stroke:#0d1117}.finish{fill:#f0f3f6;stroke:#0d1117}
      .band{fill:#58a6ff}.speed{stroke:#58a6ff}.accuracyband{fill:#f0883e}.accuracy{stroke:#f0883e}
      .altitudearea,.altitudeband{fill:#4cc9cf}.altitude{stroke:#4cc9cf}}
      </style>

      """)
  }
}
