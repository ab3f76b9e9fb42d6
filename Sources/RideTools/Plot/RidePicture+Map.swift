import LocationCore

extension RidePicture {
  /// Room for coordinates, scale and north arrow around the track.
  static let mapInsets: PlotProjection.Insets = (left: 58, right: 18, top: 30, bottom: 26)

  typealias Point = SVGCanvas.Point

  mutating func map(_ region: MapRegion, top: Double, height: Double) {
    let width = Self.width - 2 * Self.margin
    canvas.element("rect", ["x": Self.margin, "y": top, "width": width, "height": height, "rx": 8], "panel")
    let projection = PlotProjection(region, width: width, height: height, insets: Self.mapInsets)
    canvas.tag("svg", ["x": Self.margin, "y": top, "width": width, "height": height])
    canvas.raw(">\n")
    graticule(projection, width: width, height: height)
    if let course = plot.course { line(course, projection, "course") }
    dots(plot.cloud.points, projection, spacing: 0.8, "raw")
    losses(projection)
    line(plot.path, projection, "way")
    if let predicted = plot.predicted { line(predicted.path, projection, "predicted") }
    if plot.filtered.points.count <= 400 { dots(plot.filtered.points, projection, spacing: 3, "fix") }
    let ends = ends(projection)
    for cluster in stopClusters(projection) where !ends.contains(where: { cluster.isHidden(by: $0) }) {
      stop(cluster.point, radius: cluster.radius, count: cluster.count)
    }
    for mark in plot.losses.marks { lossCross(projection.point(mark.position)) }
    for mark in plot.follows { followDiamond(projection.point(mark.position), isFollowing: mark.isFollowing) }
    if ends.count == 2 {
      startTriangle(ends[0])
      endSquare(ends[1])
    }
    scaleBar(projection)
    canvas.text("N ↑", x: width - 10, y: 18, "muted small", anchor: .end)
    canvas.raw("</svg>\n")
  }

  private mutating func graticule(_ projection: PlotProjection, width: Double, height: Double) {
    let latitudes = projection.latitudes(height: height)
    let latitudeStep = AxisTicks.step(latitudes.upperBound - latitudes.lowerBound, parts: 5, least: 1e-5)
    for latitude in AxisTicks.multiples(of: latitudeStep, in: latitudes) {
      let y = projection.y(latitude: latitude)
      guard y > 36, y < height - 22 else { continue }
      let text = AxisTicks.degrees(latitude, step: latitudeStep, positive: "N", negative: "S")
      canvas.line(0, y, width, y, "grid")
      canvas.text(text, x: 4, y: y - 3, "muted tiny")
    }
    let longitudes = projection.longitudes(width: width)
    let longitudeStep = AxisTicks.step(longitudes.upperBound - longitudes.lowerBound, parts: 4, least: 1e-5)
    for longitude in AxisTicks.multiples(of: longitudeStep, in: longitudes) {
      let x = projection.x(longitude: longitude)
      guard x > 24, x < width - 60 else { continue }
      let wrapped = longitude.remainder(dividingBy: 360)
      let text = AxisTicks.degrees(wrapped, step: longitudeStep, positive: "E", negative: "W")
      canvas.line(x, 0, x, height, "grid")
      canvas.text(text, x: x + 4, y: height - 7, "muted tiny")
    }
  }

  private mutating func line(_ path: PlotPath, _ projection: PlotProjection, _ style: StaticString) {
    var path = path
    // Finer than a sixth of a unit is invisible.
    path.simplify(to: max(path.tolerance, 0.15 / projection.scale))
    canvas.beginPath(style)
    for part in path.parts { canvas.polyline(part.map { projection.point($0) }) }
    canvas.endPath()
  }

  private mutating func dots(
    _ positions: [Coordinate], _ projection: PlotProjection, spacing: Double, _ style: StaticString
  ) {
    // One dot for all positions of a square.
    var drawn: Set<Int64> = []
    canvas.beginPath(style)
    for position in positions {
      let point = projection.point(position)
      let cell = SVGCanvas.tenths((point.x / (spacing * 10), point.y / (spacing * 10)))
      guard drawn.insert(cell.x << 32 ^ cell.y).inserted else { continue }
      if drawn.count == 1 { canvas.move(point) }
      canvas.dot(point)
    }
    canvas.endPath()
  }

  private mutating func losses(_ projection: PlotProjection) {
    canvas.beginPath("loss")
    for mark in plot.losses.marks {
      // What was ridden after a stop that separates rides begins elsewhere.
      guard let end = mark.endPosition, mark.duration < RideAccumulator.splitStop else { continue }
      canvas.polyline([projection.point(mark.position), projection.point(end)])
    }
    canvas.endPath()
  }

  private mutating func scaleBar(_ projection: PlotProjection) {
    let (small, large) = units == .imperial ? (0.3048, 1609.344) : (1.0, 1000)
    let isLarge = 50 / projection.scale > large / (units == .imperial ? 4 : 2)
    let unit = isLarge ? large : small
    let shown = AxisTicks.step(50 / projection.scale / unit, parts: 1)
    let length = shown * unit * projection.scale
    let name = isLarge ? (units == .imperial ? "mi" : "km") : units.lengthUnit
    let text = "\(Self.short(shown)) \(name)"
    let (x, y) = (10.0, 18.0)
    canvas.line(x, y, x + length, y, "rule")
    canvas.line(x, y - 4, x, y, "rule")
    canvas.line(x + length, y - 4, x + length, y, "rule")
    canvas.text(text, x: x + length + 5, y: y + 1, "muted small")
  }

  /// The points of start and end, moved apart where their symbols would overlap; empty without a fix.
  private func ends(_ projection: PlotProjection) -> [Point] {
    guard let first = plot.first, let last = plot.last else { return [] }
    let (start, end) = (projection.point(first.position), projection.point(last.position))
    let (x, y) = (end.x - start.x, end.y - start.y)
    let distance = SVGCanvas.distance(start, end)
    let least = 17.0
    guard distance < least else { return [start, end] }
    // Side by side if they are the same point.
    let (east, down) = distance > 0.5 ? (x / distance, y / distance) : (1, 0)
    let (middleX, middleY) = ((start.x + end.x) / 2, (start.y + end.y) / 2)
    return [
      (middleX - east * least / 2, middleY - down * least / 2),
      (middleX + east * least / 2, middleY + down * least / 2),
    ]
  }
}

private struct StopCluster {
  var point: SVGCanvas.Point
  var duration: Double
  var count: Int

  /// The larger the longer: 3.5 units, up to 9 for half an hour; at least 6.5 around a number.
  var radius: Double {
    let radius = 3.5 + 5.5 * min(max(duration, 0) / 1800, 1).squareRoot()
    return count > 1 ? max(radius, 6.5) : radius
  }

  func overlaps(_ other: StopCluster) -> Bool {
    SVGCanvas.distance(point, other.point) < radius + other.radius + 1
  }

  /// Whether the symbol of start or end covers most of it.
  func isHidden(by symbol: SVGCanvas.Point) -> Bool { SVGCanvas.distance(point, symbol) < radius + 5 }

  mutating func add(_ other: StopCluster) {
    let share = Double(other.count) / Double(count + other.count)
    point.x += (other.point.x - point.x) * share
    point.y += (other.point.y - point.y) * share
    duration += other.duration
    count += other.count
  }
}

extension RidePicture {
  private func stopClusters(_ projection: PlotProjection) -> [StopCluster] {
    var clusters: [StopCluster] = []
    for mark in plot.stops.marks {
      var cluster = StopCluster(point: projection.point(mark.position), duration: mark.duration, count: 1)
      while let index = clusters.firstIndex(where: { $0.overlaps(cluster) }) { cluster.add(clusters.remove(at: index)) }
      clusters.append(cluster)
    }
    return clusters
  }

  mutating func stop(_ point: Point, radius: Double, count: Int) {
    canvas.element("circle", ["cx": point.x, "cy": point.y, "r": radius], "stop")
    if count > 1 { canvas.text("\(count)", x: point.x, y: point.y + 3.2, "count", anchor: .middle) }
  }

  mutating func lossCross(_ point: Point) {
    canvas.line(point.x - 4, point.y - 4, point.x + 4, point.y + 4, "cross")
    canvas.line(point.x - 4, point.y + 4, point.x + 4, point.y - 4, "cross")
  }

  /// Hollow where a view stopped following, filled where it follows again.
  mutating func followDiamond(_ point: Point, isFollowing: Bool) {
    let (x, y) = point
    let corners: [Point] = [(x, y - 6), (x + 6, y), (x, y + 6), (x - 6, y)]
    canvas.path(isFollowing ? "follow tenfold" : "free tenfold", corners, isClosed: true)
  }

  mutating func startTriangle(_ point: Point) {
    let (x, y) = point
    canvas.path("begin tenfold", [(x - 4.5, y - 6.5), (x + 7.5, y), (x - 4.5, y + 6.5)], isClosed: true)
  }

  mutating func endSquare(_ point: Point) {
    canvas.rectangle(x: point.x - 5, y: point.y - 5, width: 10, height: 10, "finish")
  }
}
