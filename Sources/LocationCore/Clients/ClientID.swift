/// A client connection, numbered in the order of connecting; the daemon's own sensors are numbered from the top.
package struct ClientID: Hashable, Comparable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) { self.number = number }
  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// The program or machine of a client; the connections of one program have equal values.
package enum ClientPeer: Hashable, Sendable {
  /// A process of this machine, by its number, and its user.
  case process(Int32, user: UInt32)
  case host(String)
  /// A connection about which nothing is known.
  case connection(ClientID)
  /// The requests of a recording, which were accepted before: limits per client do not apply.
  case replay

  var user: UInt32? {
    if case .process(_, let user) = self { user } else { nil }
  }

  /// Whether it may change what belongs to a user; `nil` if it has no owner. Root may.
  func mayChange(thingOf owner: UInt32?) -> Bool { owner == nil || user == owner || user == 0 }
}
