import LocationCore

/// What a picture says about its ride in words.
package enum RideCaption {
  /// Two lines: when and how long; how far, how high and how fast.
  package static func lines(_ plot: RidePlot) -> [String] {
    let figures = plot.figures
    var when: [String] = []
    if let start = figures.start {
      when.append(date(start))
      when.append("\(clock(start))–\(clock(figures.end ?? start)) UTC")
    }
    when.append("\(AxisTicks.duration(figures.duration)), moving \(AxisTicks.duration(figures.movingTime))")
    var what = [distance(figures.distance)]
    if let ascent = figures.ascent, ascent >= 1 { what.append("↑ \(rounded(ascent, 0)) m") }
    if figures.movingTime > 0 { what.append("mean \(rounded(figures.distance / figures.movingTime * 3.6, 1)) km/h") }
    if let maximum = figures.maximumSpeed { what.append("max \(rounded(maximum * 3.6, 1)) km/h") }
    return [when.joined(separator: " · "), what.joined(separator: " · ")]
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
