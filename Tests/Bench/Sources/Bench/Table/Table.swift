import Glibc

/// The figures as text, one line each.
struct Table {
  private var rows: [[String]] = []

  init(_ figures: [Figure]) {
    rows.append(["figure", "unit", "handlebard", "gpsd", "ratio", "floor", "target", ""])
    for figure in figures { rows.append(Self.cells(of: figure)) }
  }

  /// The table: columns as wide as their widest cell.
  var text: String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    var lines: [String] = []
    for row in rows {
      let cells = zip(row, widths).map { cell, width in cell + String(repeating: " ", count: width - cell.count) }
      var line = cells.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      lines.append(line)
      if lines.count == 1 { lines.append(String(repeating: "-", count: widths.reduce(14, +))) }
    }
    return lines.joined(separator: "\n")
  }

  private static func cells(of figure: Figure) -> [String] {
    let verdict =
      switch figure.isReached {
      case .some(true): "pass"
      case .some(false): figure.isBelowFloor ? "MISS, so does the floor" : "MISS"
      case nil: ""
      }
    return [
      figure.name, figure.unit, text(of: figure.ours), text(of: figure.theirs) + (figure.peer.map { " \($0)" } ?? ""),
      figure.ratio.map { text(of: $0) } ?? "", floor(of: figure),
      text(of: figure.target, unit: figure.unit), verdict,
    ]
  }

  private static func floor(of figure: Figure) -> String {
    guard !figure.floor.isEmpty else { return "" }
    guard let ratio = figure.floorRatio else { return text(of: figure.floor) }
    return "\(text(of: figure.floor)), \(number(ratio.median)) ×"
  }

  private static func text(of values: [Double]) -> String {
    Spread(values).map { text(of: $0) } ?? "–"
  }

  private static func text(of spread: Spread) -> String {
    let median = number(spread.median)
    return spread.isSingle ? median : "\(median) (\(number(spread.low))–\(number(spread.high)))"
  }

  private static func text(of target: Figure.Target, unit: String) -> String {
    switch target {
    case .none: ""
    case .exactly(let value): "= \(number(value)) \(unit)"
    case .atMost(let bound): "≤ \(number(bound)) \(unit)"
    case .atLeast(let bound): "≥ \(number(bound)) \(unit)"
    case .ratioAtMost(let bound): "≤ \(number(bound)) ×"
    case .ratioAtLeast(let bound): "≥ \(number(bound)) ×"
    }
  }

  /// Three digits that count, without zeros at the end.
  private static func number(_ value: Double) -> String {
    guard value.isFinite else { return "–" }
    var decimals = value.magnitude < 0.9995 ? 3 : value.magnitude < 9.995 ? 2 : value.magnitude < 99.95 ? 1 : 0
    var scaled = Int((value.magnitude * [1, 10, 100, 1000][decimals]).rounded())
    while decimals > 0, scaled.isMultiple(of: 10) {
      scaled /= 10
      decimals -= 1
    }
    var digits = String(scaled)
    digits = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    let whole = (value < 0 && scaled > 0 ? "-" : "") + digits.dropLast(decimals)
    return decimals == 0 ? whole : whole + "." + digits.suffix(decimals)
  }
}
