/// A client connection, numbered in the order of connecting.
package struct ClientID: Hashable, Comparable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) {
    self.number = number
  }

  /// Orders by the time of connecting.
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
  /// A recording, which replays the requests of all its clients; limits per client do not apply.
  case recording

  /// The number of the user, if known.
  var user: UInt32? {
    if case .process(_, let user) = self { user } else { nil }
  }
}

/// How many entries of a bounded table each client holds, and each peer with all its clients.
///
/// When the table is full, a new entry takes the place of one of the peer that holds the most. So a program cannot keep
/// others out of the table, however many connections it has.
struct TableShares {
  private var ofClients: [ClientID: Int] = [:]
  private var ofPeers: [ClientPeer: Int] = [:]

  mutating func count(_ client: ClientID, of peer: ClientPeer) {
    ofClients[client, default: 0] += 1
    ofPeers[peer, default: 0] += 1
  }

  /// Orders the entries of the largest holders first.
  func rank(of client: ClientID, _ peer: ClientPeer) -> (Int, Int) {
    (-ofPeers[peer, default: 0], -ofClients[client, default: 0])
  }
}
