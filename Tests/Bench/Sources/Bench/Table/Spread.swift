/// One figure as several repetitions gave it.
struct Spread {
  private let sorted: [Double]

  /// `nil` without a repetition.
  init?(_ values: [Double]) {
    guard !values.isEmpty else { return nil }
    sorted = values.sorted()
  }

  /// Whether there is one value only.
  var isSingle: Bool { sorted.count == 1 }
  var median: Double { Spread.quantile(0.5, ofSorted: sorted) }
  var low: Double { sorted[0] }
  var high: Double { sorted[sorted.count - 1] }

  /// The value that the share `q` of all values does not exceed.
  static func quantile(_ q: Double, of values: [Double]) -> Double {
    quantile(q, ofSorted: values.sorted())
  }

  private static func quantile(_ q: Double, ofSorted values: [Double]) -> Double {
    guard let last = values.indices.last else { return .nan }
    if q == 0.5, values.count.isMultiple(of: 2) { return (values[last / 2] + values[last / 2 + 1]) / 2 }
    return values[min(last, Int((q * Double(values.count)).rounded(.up)) - 1)]
  }
}
