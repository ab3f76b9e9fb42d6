import LocationCore

extension [UInt8] {
  /// Appends a finite number rounded to `decimals` places (0 to 9), half away from zero; trailing zeros are left out
  /// unless `trimmed` is false. Never an exponent: what is too large for that is written as ± 9 × 10⁸.
  package mutating func append(fixed number: Double, decimals: Int, trimmed: Bool = true) {
    append(atMost: TextCursor.longestNumber) { $0.put(fixed: number, decimals: decimals, trimmed: trimmed) }
  }

  /// Appends an instant as `YYYY-MM-DDThh:mm:ss[.sss]Z`, cut to the millisecond, without decimals on the full second.
  package mutating func append(iso8601 instant: UTCInstant) {
    append(atMost: TextCursor.longestInstant) { $0.put(iso8601: instant) }
  }

  /// Appends a literal.
  package mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { append(contentsOf: $0) }
  }
}
