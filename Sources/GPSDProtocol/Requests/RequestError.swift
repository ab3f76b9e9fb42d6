/// Why a request was not understood. Its message names what is wrong and what would be right.
package struct RequestError: Error, Hashable, Sendable {
  /// The kinds of fault.
  package enum Kind: Hashable, Sendable {
    /// Something that does not start with `?`.
    case notARequest
    /// A control character or bytes that are no text.
    case binary
    /// More than 4 KiB.
    case tooLong
    /// Arrays or objects in each other beyond reason.
    case tooDeep
    /// A name with something behind it that is neither `;` nor `=`, or `=` without an object.
    case malformed
    /// An object that is not closed on its line.
    case unterminated
    /// A name that no request has.
    case unknownRequest
    /// What stands between the braces is no JSON object.
    case notJSON
    /// A field that the request does not have.
    case unknownField
    /// A field of the wrong type.
    case wrongType
    /// A value outside its range.
    case outOfRange
    /// A field that must be there is not.
    case missingField
    /// A value for a request that has none, or none for one that needs it.
    case unexpectedValue
  }

  /// The kind, for tests and counters.
  package var kind: Kind
  /// Name of the request, when it could be read.
  package var request: String?
  /// One sentence for a person.
  package var message: String

  init(_ kind: Kind, of request: String? = nil, _ message: String) {
    self.kind = kind
    self.request = request
    self.message = message
  }
}
