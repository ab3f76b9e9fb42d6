import Glibc

/// Figures as text, one line each.
struct Table {
  private var rows: [[String]] = []

  /// `ours` and `peer` are the titles of the two columns of values.
  init(_ figures: [Figure], ours: String = "handlebard", peer: String = "gpsd") {
    rows.append(["figure", "unit", ours, peer, "ratio", "added", "floor", "target", ""])
    for figure in figures { rows.append(Self.cells(of: figure)) }
    // Columns that hold nothing are left out.
    let used = rows[0].indices.filter { column in rows.dropFirst().contains { !$0[column].isEmpty } }
    rows = rows.map { row in used.map { row[$0] } }
  }

  /// The table with columns as wide as their widest cell.
  var text: String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    var lines: [String] = []
    for row in rows {
      let cells = zip(row, widths).map { cell, width in cell + String(repeating: " ", count: width - cell.count) }
      lines.append(trimmed(cells.joined(separator: "  ")))
      if lines.count == 1 { lines.append(String(repeating: "-", count: widths.reduce(2 * widths.count - 2, +))) }
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
    let peer = figure.peers.isEmpty && figure.remark != nil ? "" : text(of: figure.peers)
    return [
      figure.name, figure.unit, text(of: figure.ours), [peer, figure.remark ?? ""].joined(separator: " "),
      ratio(of: figure), figure.showsAdded ? figure.addedRatio.map { text(of: $0) } ?? "" : "", floor(of: figure),
      text(of: figure.target, unit: figure.unit), verdict,
    ].map(trimmed)
  }

  private static func ratio(of figure: Figure) -> String {
    if case .floorRatioAtLeast = figure.target { return figure.ratioToFloor.map { "\(text(of: $0)) by floor" } ?? "" }
    return figure.ratio.map { text(of: $0) } ?? ""
  }

  private static func floor(of figure: Figure) -> String {
    guard let floor = Spread(figure.floor)?.median else { return "" }
    return number(floor) + (figure.floorRatio.map { ", \(number($0.median)) ×" } ?? "")
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
    case .ratioAtMost(let bound): "≤ \(number(bound)) ×"
    case .ratioAtLeast(let bound): "≥ \(number(bound)) ×"
    case .addedRatioAtMost(let bound): "added ≤ \(number(bound)) ×"
    case .floorRatioAtLeast(let bound): "≥ \(number(bound)) × floor"
    }
  }

  /// Three significant digits without trailing zeros.
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

/// Latencies of handlebard and gpsd side by side, in buckets of a logarithmic scale.
struct Histogram {
  private static let bounds = [0, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, .infinity]
  private static let width = 30

  let name: String
  /// Milliseconds.
  let ours: [Double]
  let peers: [Double]

  /// One line for each bucket from the first to the last that is not empty.
  var text: String {
    let counts = [ours, peers].map { values in
      Self.bounds.indices.map { index in
        values.count { $0 <= Self.bounds[index] && (index == 0 || $0 > Self.bounds[index - 1]) }
      }
    }
    let used = Self.bounds.indices.filter { counts[0][$0] + counts[1][$0] > 0 }
    var lines = [name + gap(max(1, 44 - name.count)) + "handlebard" + gap(22) + "gpsd"]
    guard let first = used.first, let last = used.last else { return lines[0] }
    for index in first...last {
      let bars = zip(counts, [ours, peers]).map { counts, values in
        let share = values.isEmpty ? 0 : Double(counts[index]) / Double(values.count)
        let length = Int((share * Double(Self.width)).rounded(.up))
        return String(repeating: "█", count: length) + gap(Self.width - length)
      }
      lines.append(label(index) + bars[0] + "  " + bars[1])
    }
    return lines.map(trimmed).joined(separator: "\n")
  }

  private func label(_ index: Int) -> String {
    func number(_ value: Double) -> String { value == value.rounded() ? "\(Int(value))" : "\(value)" }
    let bound = Self.bounds[index]
    let text =
      index == 0
      ? "before that byte" : bound.isFinite ? "≤ \(number(bound)) ms" : "> \(number(Self.bounds[index - 1])) ms"
    return gap(40 - text.count) + text + gap(4)
  }

  private func gap(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}

/// A line without the spaces at its end.
private func trimmed(_ line: String) -> String {
  var line = line
  while line.last == " " { line.removeLast() }
  return line
}
