/// What clients set, start or show under a name; the raw values are part of sentences.
package enum Holding: String, Hashable, Sendable {
  case view, target, trip, course

  /// Refuses a name that is empty or longer than 64 bytes.
  func checkName(_ name: String) throws(RequestRefusal) {
    guard (1...64).contains(name.utf8.count) else {
      throw .invalid("the name of a \(rawValue) is invalid: use 1 to 64 bytes")
    }
  }
}

/// Why a request is refused.
package enum RequestRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// A value is out of its range; the sentence states it and what is valid.
  case invalid(String)
  case missing(Holding, name: String)
  case ofAnotherUser(Holding, name: String)
  case full(Quota)

  package var description: String {
    switch self {
    case .invalid(let sentence): sentence
    case .missing(let holding, let name): "there is no \(holding.rawValue) \"\(name)\""
    case .ofAnotherUser(let holding, let name):
      "the \(holding.rawValue) \"\(name)\" belongs to another user: "
        + "\(holding == .trip ? "start" : "set") one with another name"
    case .full(let quota): "\(quota)"
    }
  }
}
