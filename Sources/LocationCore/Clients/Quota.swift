/// How many things of a kind clients hold at most. Those that end with their connection share a table in which a new
/// one takes the place of another (``TableShares``), up to the quota of a connection. Those that stay count for their
/// user, and none makes room for another, so that no user keeps out or displaces another's. Requests of a recording
/// were accepted before: quotas of connections and users do not apply to them.
package struct Quota: Hashable, Sendable, CustomStringConvertible {
  /// Whose things count together; the raw values are part of the sentence.
  enum Scope: String {
    case connection = " for this connection"
    /// Clients whose user is unknown, such as those of TCP, count as one.
    case user = " for this user"
    case all = ""
  }

  package let limit: Int
  private let things: String
  private let scope: Scope
  private let remedy: String

  init(limit: Int, of things: String, by scope: Scope, _ remedy: String) {
    (self.limit, self.things, self.scope, self.remedy) = (limit, things, scope, remedy)
  }

  package var description: String { "the limit of \(limit) \(things)\(scope.rawValue) is reached: \(remedy)" }

  func admit(after count: Int) throws(RequestRefusal) {
    if count >= limit { throw .full(self) }
  }
}

/// Entries of a full table by client and peer: a new one replaces one of the peer with the most, not of others.
struct TableShares {
  private var ofClients: [ClientID: Int] = [:]
  private var ofPeers: [ClientPeer: Int] = [:]

  mutating func count(_ client: ClientID, of peer: ClientPeer) {
    ofClients[client, default: 0] += 1
    ofPeers[peer, default: 0] += 1
  }

  /// The lowest rank gives way.
  func rank(of client: ClientID, _ peer: ClientPeer) -> (Int, Int) {
    (-ofPeers[peer, default: 0], -ofClients[client, default: 0])
  }
}
