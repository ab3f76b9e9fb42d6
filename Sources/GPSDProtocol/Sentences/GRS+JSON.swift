import LocationCore

extension GRS: SentenceObject {
  /// `residuals` keep their slots: an empty one in front of another is `null`.
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.field("time", time)
    line.field("mode", mode)
    line.beginArray("residuals")
    let last = (0..<GRSResiduals.count).last { residuals[$0] != nil }
    for slot in 0..<(last ?? -1) + 1 { line.value(residuals[slot], decimals: 3) }
    line.endArray()
    line.field("system", systemID)
    line.field("signal", signalID)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    switch number {
    case 1: "time"
    case 2: "mode"
    case ...14: "residuals"
    default: pick(number - 14, "system", "signal")
    }
  }
}

extension JSONLine {
  /// An element of an array that may be missing.
  fileprivate mutating func value(_ value: Double?, decimals: Int) {
    if let value {
      self.value(value, decimals: decimals)
    } else {
      separate()
      literal("null")
    }
  }
}
