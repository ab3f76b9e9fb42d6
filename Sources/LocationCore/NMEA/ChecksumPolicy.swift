/// What happens to a sentence that carries no checksum. A wrong checksum always rejects.
package enum ChecksumPolicy: String, Hashable, Sendable {
  /// Rejected.
  case require
  /// Accepted until the first sentence that carries a valid checksum, rejected from then on.
  case prefer
  /// Accepted.
  case accept
}
