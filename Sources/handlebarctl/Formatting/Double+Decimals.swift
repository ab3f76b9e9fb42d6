import GPSDProtocol

extension Double {
  /// With exactly that many decimals, rounded.
  func decimals(_ count: Int) -> String {
    guard isFinite else { return "?" }
    var line = JSONLine(capacity: 32)
    line.value(self, decimals: count, trimmed: false)
    return String(decoding: line.bytes, as: UTF8.self)
  }
}

extension String {
  /// With blanks before it up to a width.
  func right(_ width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }

  /// With blanks after it up to a width.
  func left(_ width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }

  /// Without characters that would steer a terminal.
  var printable: String {
    String(
      String.UnicodeScalarView(unicodeScalars.map { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? "?" : $0 }))
  }
}
