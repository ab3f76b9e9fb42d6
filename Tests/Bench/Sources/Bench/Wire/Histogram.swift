/// Latencies of two subjects side by side, in buckets of a logarithmic scale.
struct Histogram {
  private static let bounds = [0, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, .infinity]
  private static let width = 30

  let name: String
  /// Milliseconds.
  let ours: [Double]
  let theirs: [Double]

  /// One line for each bucket between the first and the last that hold something.
  var text: String {
    let counts = [ours, theirs].map { values in
      Self.bounds.indices.map { index in
        values.count { $0 <= Self.bounds[index] && (index == 0 || $0 > Self.bounds[index - 1]) }
      }
    }
    let used = Self.bounds.indices.filter { counts[0][$0] + counts[1][$0] > 0 }
    var lines = [name + String(repeating: " ", count: max(1, 44 - name.count)) + "handlebard" + gap(22) + "gpsd"]
    guard let first = used.first, let last = used.last else { return lines[0] }
    for index in first...last {
      let bars = zip(counts, [ours, theirs]).map { counts, values in
        let share = values.isEmpty ? 0 : Double(counts[index]) / Double(values.count)
        let length = Int((share * Double(Self.width)).rounded(.up))
        return String(repeating: "█", count: length) + gap(Self.width - length)
      }
      lines.append(label(index) + bars[0] + "  " + bars[1])
    }
    return lines.map { line in
      var line = line
      while line.last == " " { line.removeLast() }
      return line
    }.joined(separator: "\n")
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
