package struct NMEACounters: Totals {
  package var bytes: UInt64 = 0
  /// Accepted sentences, including unknown and encapsulated ones.
  package var sentences: UInt64 = 0
  /// Accepted sentences of types that are not decoded, without those that begin with `!`.
  package var unknown: UInt64 = 0
  package var malformedFields: UInt64 = 0
  // Rejected sentences by `SentenceRejection`.
  package var checksum: UInt64 = 0
  package var noChecksum: UInt64 = 0
  package var badChecksumFormat: UInt64 = 0
  package var overlong: UInt64 = 0
  package var notASCII: UInt64 = 0
  package var truncated: UInt64 = 0
  package var fieldCount: UInt64 = 0
  /// Binary frames with a valid checksum, and UBX among them.
  package var binaryFrames: UInt64 = 0
  package var ubxFrames: UInt64 = 0
  /// TAG blocks with a valid checksum (skipped), and those that are malformed or have a wrong one.
  package var tagBlocks: UInt64 = 0
  package var badTagBlocks: UInt64 = 0
  /// Other bytes, except line ends and comment lines.
  package var noise: UInt64 = 0

  package init() {}
  package var rejected: UInt64 {
    checksum &+ noChecksum &+ badChecksumFormat &+ overlong &+ notASCII &+ truncated &+ fieldCount
  }

  mutating func count(_ rejection: SentenceRejection) {
    switch rejection {
    case .checksum: checksum &+= 1
    case .noChecksum: noChecksum &+= 1
    case .badChecksumFormat: badChecksumFormat &+= 1
    case .overlong: overlong &+= 1
    case .notASCII: notASCII &+= 1
    case .truncated: truncated &+= 1
    case .fieldCount: fieldCount &+= 1
    }
  }

  package var rejections: [(name: StaticString, count: UInt64)] {
    [
      ("checksum", checksum), ("noChecksum", noChecksum), ("badChecksumFormat", badChecksumFormat),
      ("overlong", overlong), ("notASCII", notASCII), ("truncated", truncated), ("fieldCount", fieldCount),
    ]
  }
}

package enum SentenceRejection: Hashable, Sendable {
  case checksum(expected: UInt8, found: UInt8)
  /// The line has no checksum although the policy requires one.
  case noChecksum
  /// `*` is not followed by two hexadecimal digits.
  case badChecksumFormat
  /// More than 256 bytes from `$` through `*hh`.
  case overlong
  /// A byte outside 0x20 to 0x7E, including NUL, which a checksum does not detect.
  case notASCII
  /// Another sentence or the end of the input interrupts this one.
  case truncated
  case fieldCount

  /// The case, without its values.
  package var name: Substring { "\(self)".prefix { $0 != "(" } }
}

/// Treatment of a sentence without a checksum. A wrong checksum is always rejected.
package enum ChecksumPolicy: String, Hashable, Sendable {
  case require
  /// Accepted until the first sentence with a valid checksum, then rejected.
  case prefer
  case accept
}
