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
