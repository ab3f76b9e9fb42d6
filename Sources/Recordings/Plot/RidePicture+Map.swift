import LocationCore

extension RidePicture {
  /// Draws the map.
  mutating func map(_ region: MapRegion, top: Double, height: Double) {
    let width = Self.width - 2 * Self.margin
    canvas.rectangle(x: Self.margin, y: top, width: width, height: height, radius: 8, "panel")
    let projection = PlotProjection(region, width: width, height: height, margin: 22)
    canvas.raw("<svg")
    canvas.attribute(" x=\"", Self.margin)
    canvas.attribute(" y=\"", top)
    canvas.attribute(" width=\"", width)
    canvas.attribute(" height=\"", height)
    canvas.raw(">\n")
    dots(plot.raw.points, projection, apart: 0.8, "raw")
    losses(projection)
    way(projection)
    if plot.delivered.points.count <= 400 { dots(plot.delivered.points, projection, apart: 3, "fix") }
    for mark in plot.stops.marks { stop(projection.point(mark.place), duration: mark.duration) }
    for mark in plot.losses.marks { cross(projection.point(mark.place)) }
    for mark in plot.follows { follow(projection.point(mark.place), isFollowing: mark.isFollowing) }
    ends(projection)
    scaleBar(projection, width: width, height: height)
    canvas.raw("</svg>\n")
  }

  private mutating func way(_ projection: PlotProjection) {
    var path = plot.path
    // A sixth of a unit is nothing that one could see.
    path.simplify(to: max(path.tolerance, 0.15 / projection.scale))
    canvas.beginPath("way")
    for part in path.parts {
      guard let first = part.first else { continue }
      canvas.move(projection.point(first))
      for place in part.dropFirst() { canvas.draw(projection.point(place)) }
    }
    canvas.endPath()
  }

  private mutating func dots(
    _ places: [Coordinate], _ projection: PlotProjection, apart: Double, _ style: StaticString
  ) {
    // One dot for all fixes of a square.
    var taken: Set<Int64> = []
    canvas.beginPath(style)
    for place in places {
      let point = projection.point(place)
      let cell = SVGCanvas.tenths((point.x / (apart * 10), point.y / (apart * 10)))
      guard taken.insert(cell.x << 32 ^ cell.y).inserted else { continue }
      if taken.count == 1 { canvas.move(point) }
      canvas.dot(point)
    }
    canvas.endPath()
  }

  private mutating func losses(_ projection: PlotProjection) {
    canvas.beginPath("loss")
    for mark in plot.losses.marks {
      guard let other = mark.otherPlace else { continue }
      canvas.move(projection.point(mark.place))
      canvas.draw(projection.point(other))
    }
    canvas.endPath()
  }

  private mutating func ends(_ projection: PlotProjection) {
    if let first = plot.first { begin(projection.point(first.position)) }
    if let last = plot.last { finish(projection.point(last.position)) }
  }

  private mutating func scaleBar(_ projection: PlotProjection, width: Double, height: Double) {
    let shown = AxisTicks.step(50 / projection.scale, parts: 1)
    let length = shown * projection.scale
    let text = shown >= 1000 ? "\(Self.short(shown / 1000)) km" : "\(Self.short(shown)) m"
    let (x, y) = (10.0, height - 9)
    canvas.line(x, y, x + length, y, "rule")
    canvas.line(x, y - 4, x, y, "rule")
    canvas.line(x + length, y - 4, x + length, y, "rule")
    canvas.text(text, x: x + length + 5, y: y + 1, "muted small")
    canvas.text("N ↑", x: width - 10, y: 18, "muted small", anchor: .end)
  }

  /// A number without needless decimals.
  static func short(_ number: Double) -> String {
    var bytes: [UInt8] = []
    bytes.append(fixed: number, decimals: 2)
    return String(decoding: bytes, as: UTF8.self)
  }
}
