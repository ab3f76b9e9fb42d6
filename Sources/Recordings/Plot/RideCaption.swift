import LocationCore

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
