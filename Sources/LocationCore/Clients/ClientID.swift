/// A client connection, numbered in the order of connecting.
package struct ClientID: Hashable, Comparable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) { self.number = number }

  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// The program or machine of a client; the connections of one program have equal values.
package enum ClientPeer: Hashable, Sendable {
  /// A process of this machine, by its number, and its user.
  case process(Int32, user: UInt32)
  /// An address, of TCP clients.
  case host(String)
  /// A connection about which nothing is known.
  case connection(ClientID)
  /// The requests of a recording, which were accepted before: limits per client do not apply.
  case replay

  var user: UInt32? {
    if case .process(_, let user) = self { user } else { nil }
  }
}

/// Entries of a bounded table by client, and by peer with all its clients. In a full table, a new entry replaces one of
/// the peer that holds the most, so a program cannot keep others out with many connections.
struct TableShares {
  private var ofClients: [ClientID: Int] = [:]
  private var ofPeers: [ClientPeer: Int] = [:]

  mutating func count(_ client: ClientID, of peer: ClientPeer) {
    ofClients[client, default: 0] += 1
    ofPeers[peer, default: 0] += 1
  }

  func rank(of client: ClientID, _ peer: ClientPeer) -> (Int, Int) {
    (-ofPeers[peer, default: 0], -ofClients[client, default: 0])
  }
}
