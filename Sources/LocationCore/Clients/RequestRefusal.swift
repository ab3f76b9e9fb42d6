/// What clients set, start or show under a name. Each kind is beside what keeps it.
package struct Holding: Hashable, Sendable {
  fileprivate let name: String
  fileprivate let isSet: Bool

  init(_ name: String, isSet: Bool = true) { (self.name, self.isSet) = (name, isSet) }

  func checkName(_ name: String) throws(RequestRefusal) {
    guard (1...64).contains(name.utf8.count) else {
      throw .invalid("the name of a \(self.name) is invalid: use 1 to 64 bytes")
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
    case .missing(let holding, let name): "there is no \(holding.name) \"\(name)\""
    case .ofAnotherUser(let holding, let name):
      "the \(holding.name) \"\(name)\" belongs to another user: "
        + "\(holding.isSet ? "set" : "start") one with another name"
    case .full(let quota): "\(quota)"
    }
  }
}
