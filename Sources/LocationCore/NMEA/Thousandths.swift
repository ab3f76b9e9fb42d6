/// An optional number in four bytes, to three decimals: what satellites' angles, levels and residuals need.
struct Thousandths: Hashable, Sendable {
  private let stored: Int32

  /// Rounds to three decimals; what is not finite or beyond ± 2,147,483 is `nil`.
  init(_ value: Double?) {
    guard let value, abs(value) < 2_147_483 else {
      stored = .min
      return
    }
    stored = Int32(value * 1000 + (value < 0 ? -0.5 : 0.5))
  }

  /// The number, `nil` when there is none.
  var value: Double? { stored == .min ? nil : Double(stored) / 1000 }
}
