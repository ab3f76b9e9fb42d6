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
