/// What a decoder has seen since it was made; every count only grows.
package struct NMEACounters: Hashable, Sendable {
  /// Bytes given to the decoder.
  package var bytes: UInt64 = 0
  /// Sentences accepted, unknown and encapsulated ones included.
  package var sentences: UInt64 = 0
  /// Accepted sentences of types that are not decoded.
  package var unknown: UInt64 = 0
  /// Accepted `!` sentences.
  package var encapsulated: UInt64 = 0
  /// Fields that were present and malformed or out of range.
  package var malformedFields: UInt64 = 0

  /// Rejected: the checksum does not fit.
  package var checksum: UInt64 = 0
  /// Rejected: the policy wants a checksum and there is none.
  package var noChecksum: UInt64 = 0
  /// Rejected: no two hexadecimal digits behind `*`.
  package var badChecksumFormat: UInt64 = 0
  /// Rejected: longer than the line bound.
  package var overlong: UInt64 = 0
  /// Rejected: a byte outside 0x20 to 0x7E.
  package var notASCII: UInt64 = 0
  /// Rejected: cut off by another sentence or by the end of the input.
  package var truncated: UInt64 = 0
  /// Rejected: too few fields for the type.
  package var fieldCount: UInt64 = 0

  /// Binary frames whose own checksum held, skipped.
  package var binaryFrames: UInt64 = 0
  /// TAG blocks whose checksum held, skipped.
  package var tagBlocks: UInt64 = 0
  /// TAG blocks that are malformed or whose checksum does not hold.
  package var badTagBlocks: UInt64 = 0
  /// Bytes outside of everything above, line ends and comment lines not counted.
  package var noise: UInt64 = 0

  package init() {}

  /// Rejected sentences, all reasons together.
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
}

extension NMEACounters {
  /// The reasons for rejecting, and how often there was each.
  package var rejections: [(name: StaticString, count: UInt64)] {
    [
      ("checksum", checksum), ("noChecksum", noChecksum), ("badChecksumFormat", badChecksumFormat),
      ("overlong", overlong), ("notASCII", notASCII), ("truncated", truncated), ("fieldCount", fieldCount),
    ]
  }
}

/// Why a line that began like a sentence is none.
package enum SentenceRejection: Hashable, Sendable {
  /// The checksum computed over the line, and the one that it carries.
  case checksum(expected: UInt8, found: UInt8)
  /// The line carries no checksum and the policy wants one.
  case noChecksum
  /// `*` without two hexadecimal digits behind it.
  case badChecksumFormat
  /// More than 256 bytes from `$` through `*hh`.
  case overlong
  /// A byte outside 0x20 to 0x7E. NUL is one: it would not show in the checksum.
  case notASCII
  /// A new sentence or the end of the input came before the end of this one.
  case truncated
  /// Fewer fields than the type has.
  case fieldCount

  /// The reason's name.
  package var name: StaticString {
    switch self {
    case .checksum: "checksum"
    case .noChecksum: "noChecksum"
    case .badChecksumFormat: "badChecksumFormat"
    case .overlong: "overlong"
    case .notASCII: "notASCII"
    case .truncated: "truncated"
    case .fieldCount: "fieldCount"
    }
  }
}

/// What happens to a sentence that carries no checksum. A wrong checksum always rejects.
package enum ChecksumPolicy: String, Hashable, Sendable {
  /// Rejected.
  case require
  /// Accepted until the first sentence that carries a valid checksum, rejected from then on.
  case prefer
  /// Accepted.
  case accept
}
