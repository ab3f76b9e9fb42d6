/// What clients set, start or show under a name.
package enum Holding: String, Hashable, Sendable {
  case course, target, trip, view

  func checkName(_ name: String) throws(RequestRefusal) {
    guard (1...64).contains(name.utf8.count) else {
      throw .invalid("the name of a \(self) is invalid: use 1 to 64 bytes")
    }
  }
}

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

  static let viewsOfConnection = Quota(limit: 8, of: "views", by: .connection, "reuse a name")
  static let views = Quota(limit: 64, of: "views", by: .all, "reuse a name, or wait until a view expires")
  static let locates = Quota(limit: 8, of: "pending requests", by: .connection, "wait for an answer")
  static let targetsOfConnection = Quota(limit: 8, of: "targets", by: .connection, "remove one first")
  /// Those that end with their connection.
  static let targets = Quota(limit: 64, of: "targets", by: .all, "remove one first")
  static let persistentTargetsOfUser = Quota(limit: 16, of: "persistent targets", by: .user, "remove one first")
  static let persistentTargets = Quota(limit: 64, of: "persistent targets", by: .all, "remove one first")
  static let tripsOfUser = Quota(limit: 8, of: "trips", by: .user, "end one first")
  static let trips = Quota(limit: 16, of: "trips", by: .all, "end one first")
  static let coursesOfUser = Quota(limit: 8, of: "courses", by: .user, "end one first")
  package static let courses = Quota(limit: 16, of: "courses", by: .all, "end one first")
  static let readingsOfConnection = Quota(limit: 20, of: "sensor readings a second", by: .connection, "send fewer")
  static let sensorsOfKind = Quota(limit: 4, of: "sensors of a kind", by: .all, "end one and wait 60 s")

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
