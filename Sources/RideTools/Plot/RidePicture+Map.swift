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

/// The symbols of map and legend.
extension RidePicture {
  /// Where the fix was lost.
  mutating func cross(_ point: (x: Double, y: Double)) {
    canvas.line(point.x - 4, point.y - 4, point.x + 4, point.y + 4, "cross")
    canvas.line(point.x - 4, point.y + 4, point.x + 4, point.y - 4, "cross")
  }

  /// A stop: the larger the longer, from 3.5 units to 9 for half an hour.
  mutating func stop(_ point: (x: Double, y: Double), duration: Double) {
    let radius = 3.5 + 5.5 * min(max(duration, 0) / 1800, 1).squareRoot()
    canvas.circle(x: point.x, y: point.y, radius: radius, "stop")
  }

  /// A view became free (hollow) or follows again (full).
  mutating func follow(_ point: (x: Double, y: Double), isFollowing: Bool) {
    canvas.beginPath(isFollowing ? "follow tenfold" : "free tenfold")
    canvas.move((point.x, point.y - 6))
    canvas.draw((point.x + 6, point.y))
    canvas.draw((point.x, point.y + 6))
    canvas.draw((point.x - 6, point.y))
    canvas.close()
    canvas.endPath()
  }

  /// A line of the legend: its symbol and its text.
  struct LegendEntry {
    enum Symbol { case begin, finish, raw, delivered, stop, loss, free, follow }

    var symbol: Symbol
    var text: String
  }

  /// What is in the picture, and nothing else.
  var legendEntries: [LegendEntry] {
    var entries = [
      LegendEntry(symbol: .begin, text: "start"),
      LegendEntry(symbol: .finish, text: "end"),
      LegendEntry(symbol: .raw, text: Self.counted(plot.fixCount, "raw fix", "raw fixes")),
      LegendEntry(symbol: .delivered, text: "\(plot.deliveredCount) delivered (10 m)"),
    ]
    if plot.stops.count > 0 {
      let time = plot.stops.marks.reduce(0) { $0 + $1.duration }
      entries.append(
        LegendEntry(
          symbol: .stop, text: Self.counted(plot.stops.count, "stop", "stops") + ", \(AxisTicks.duration(time))"))
    }
    if plot.losses.count > 0 {
      let time = plot.losses.marks.reduce(0) { $0 + $1.duration }
      entries.append(
        LegendEntry(
          symbol: .loss, text: Self.counted(plot.losses.count, "loss", "losses") + ", \(AxisTicks.duration(time))"))
    }
    if plot.followCount > 0 {
      entries.append(LegendEntry(symbol: .free, text: "view set free"))
      entries.append(LegendEntry(symbol: .follow, text: "view follows again"))
    }
    return entries
  }

  /// Writes the legend in two columns.
  mutating func legend(_ entries: [LegendEntry], top: Double) {
    for (index, entry) in entries.enumerated() {
      let x = Self.margin + 12 + Double(index % 2) * (Self.width / 2 - Self.margin)
      let y = top + Double(index / 2) * 20
      symbol(entry.symbol, (x, y - 4))
      canvas.text(entry.text, x: x + 17, y: y, "ink")
    }
  }

  private mutating func symbol(_ symbol: LegendEntry.Symbol, _ point: (x: Double, y: Double)) {
    switch symbol {
    case .begin: begin(point)
    case .finish: finish(point)
    case .raw:
      canvas.beginPath("raw")
      canvas.move(point)
      for (east, down) in [(-6.0, 2.0), (-2, -2), (2, 1), (6, -1)] { canvas.dot((point.x + east, point.y + down)) }
      canvas.endPath()
    case .delivered:
      canvas.beginPath("way")
      canvas.move((point.x - 8, point.y))
      canvas.draw((point.x + 8, point.y))
      canvas.endPath()
      canvas.beginPath("fix")
      canvas.move(point)
      canvas.dot(point)
      canvas.endPath()
    case .stop: stop(point, duration: 120)
    case .loss:
      canvas.beginPath("loss")
      canvas.move((point.x - 9, point.y))
      canvas.draw((point.x + 9, point.y))
      canvas.endPath()
      cross(point)
    case .free: follow(point, isFollowing: false)
    case .follow: follow(point, isFollowing: true)
    }
  }

  /// The start: a triangle.
  mutating func begin(_ point: (x: Double, y: Double)) {
    canvas.beginPath("begin tenfold")
    canvas.move((point.x - 4.5, point.y - 6.5))
    canvas.draw((point.x + 7.5, point.y))
    canvas.draw((point.x - 4.5, point.y + 6.5))
    canvas.close()
    canvas.endPath()
  }

  /// The end: a square.
  mutating func finish(_ point: (x: Double, y: Double)) {
    canvas.rectangle(x: point.x - 5, y: point.y - 5, width: 10, height: 10, "finish")
  }

  private static func counted(_ count: Int, _ one: String, _ many: String) -> String {
    "\(count) \(count == 1 ? one : many)"
  }
}
