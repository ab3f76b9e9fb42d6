/// A client's request to the engine.
package enum EngineRequest: Sendable {
  /// The client connected; `peer` is what is behind it, if known.
  case connected(peer: ClientPeer? = nil)
  /// The client disconnected; its views keep their state for a while, its targets end unless they are persistent.
  case disconnected
  /// A renderer's report of its view's position, and the number of the newest fix that it was sent, if known.
  case view(ViewReport, sent: UInt64? = nil)
  /// Engages or releases following.
  case follow(view: String, enable: Bool)
  /// Restores the state of a view after the daemon restarted.
  case restoreFollow(view: String, following: Bool)
  /// Asks for one fix.
  case locate(timeout: Duration, maxAge: Duration)
  /// Watches for arrival at a target.
  case target(name: String, coordinate: Coordinate, radius: Double, isPersistent: Bool = false)
  /// Stops watching a target.
  case removeTarget(name: String)
}

/// Why a request is refused.
package enum RequestRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  case follow(FollowError)
  case locate(LocateError)
  case target(TargetError)
  case noTarget(name: String)

  package var description: String {
    switch self {
    case .follow(let error): "\(error)"
    case .locate(let error): "\(error)"
    case .target(let error): "\(error)"
    case .noTarget(let name): "there is no target \"\(name)\""
    }
  }
}

extension LocationEngine {
  /// Handles a request of a client. Its effects are events, including the answer to `locate`.
  package mutating func handle(
    _ request: EngineRequest, from client: ClientID, at instant: MonotonicInstant, into events: inout EngineEvents
  ) throws(RequestRefusal) {
    advance(to: instant, into: &events)
    defer { noteDeadline() }
    switch request {
    case .connected(let peer): follow.clientConnected(client, of: peer, at: instant)
    case .disconnected:
      follow.clientDisconnected(client, at: instant)
      locates.clientDisconnected(client)
      for name in targets.clientDisconnected(client) { events.append(.targetRemoved(name: name), at: instant) }
    case .view(let report, let sent):
      do throws(FollowError) {
        apply(try follow.report(report, sent: sent, from: client, at: instant), at: instant, into: &events)
      } catch {
        throw .follow(error)
      }
    case .follow(let view, let enable):
      do throws(FollowError) {
        let actions = try follow.set(following: enable, view: view, client: client, at: instant)
        apply(actions, at: instant, into: &events)
      } catch {
        throw .follow(error)
      }
    case .restoreFollow(let view, let following):
      do throws(FollowError) {
        let actions = try follow.restore(following: following, view: view, client: client, at: instant)
        apply(actions, at: instant, into: &events)
      } catch {
        throw .follow(error)
      }
    case .locate(let timeout, let maxAge):
      do throws(LocateError) {
        let request = try LocateRequest(id: 0, client: client, timeout: timeout, maxAge: maxAge)
        if let answer = try locates.request(request, at: instant) { events.append(.located(answer), at: instant) }
      } catch {
        throw .locate(error)
      }
    case .target(let name, let coordinate, let radius, let isPersistent):
      guard let peer = follow.clients[client] else { return }
      do throws(TargetError) {
        let target = try Target(name: name, coordinate: coordinate, radius: radius)
        if let evicted = try targets.set(target, isPersistent: isPersistent, from: client, of: peer) {
          events.append(.targetRemoved(name: evicted), at: instant)
        }
      } catch {
        throw .target(error)
      }
    case .removeTarget(let name):
      guard targets.remove(name) else { throw .noTarget(name: name) }
      events.append(.targetRemoved(name: name), at: instant)
    }
  }
}
