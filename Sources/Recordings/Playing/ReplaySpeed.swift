/// The speed of a replay.
package enum ReplaySpeed: Hashable, Sendable {
  /// A multiple of the recorded speed; finite and positive.
  case times(Double)
  /// Without waiting: time is virtual and runs as fast as its consumers.
  case max

  /// A speed in a source's URI: `max`, or a decimal number from 0.01 to 1000; `nil` for anything else.
  package init?(text: String) {
    if text == "max" {
      self = .max
      return
    }
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), text.utf8.count <= 12, let whole = Int64(digits: parts[0]) else { return nil }
    var value = Double(whole)
    if parts.count == 2 {
      guard let fraction = Int64(digits: parts[1]) else { return nil }
      var unit = 1.0
      for _ in parts[1] { unit *= 10 }
      value += Double(fraction) / unit
    }
    self.init(value)
  }

  /// A multiple from 0.01 to 1000; `nil` for anything else.
  package init?(_ multiple: Double) {
    guard (0.01...1000).contains(multiple) else { return nil }
    self = .times(multiple)
  }
}
