/// Speed over time in one row of block characters.
package enum SpeedLine {
  private static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
  private static let ascii: [Character] = ["_", ".", "-", "=", "+", "*", "%", "#"]

  /// As many characters, each the highest speed of its stretch; a blank where none was told. `nil` when none ever was.
  package static func text(_ plot: RidePlot, columns: Int, isASCII: Bool = false) -> String? {
    guard let highest = plot.speed.highest, columns > 0, plot.end > 0 else { return nil }
    let symbols = isASCII ? ascii : blocks
    var heights = [Double?](repeating: nil, count: columns)
    for (index, bin) in plot.speed.bins.enumerated() {
      guard let bin else { continue }
      // A bin may be longer than a column is.
      let from = Double(index) * plot.speed.width / plot.end * Double(columns)
      let to = Double(index + 1) * plot.speed.width / plot.end * Double(columns)
      let first = min(max(Int(from), 0), columns - 1)
      for column in first...min(max(Int(to.rounded(.up)) - 1, first), columns - 1) {
        heights[column] = max(heights[column] ?? 0, bin.highest)
      }
    }
    return String(
      heights.map { height in
        guard let height else { return " " }
        return symbols[min(Int(height / max(highest, 0.1) * Double(symbols.count)), symbols.count - 1)]
      })
  }
}
