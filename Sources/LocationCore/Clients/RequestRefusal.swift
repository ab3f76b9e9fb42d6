/// What clients set, start or show under a name.
package enum Holding: String, Hashable, Sendable {
  case course, target, trip, view

  func checkName(_ name: String) throws(RequestRefusal) {
    guard (1...64).contains(name.utf8.count) else {
      throw .invalid("the name of a \(self) is invalid: use 1 to 64 bytes")
    }
  }
}

package enum RequestRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// A value is out of its range; the sentence states it and what is valid.
  case invalid(String)
  case missing(Holding, name: String)
  case ofAnotherUser(Holding, name: String)
  case full(Quota)

  package var description: String {
    switch self {
    case .invalid(let sentence): sentence
    case .missing(let holding, let name): "there is no \(holding) \"\(name)\""
    case .ofAnotherUser(let holding, let name):
      "the \(holding) \"\(name)\" belongs to another user: "
        + "\(holding == .trip ? "start" : "set") one with another name"
    case .full(let quota): "\(quota)"
    }
  }
}
