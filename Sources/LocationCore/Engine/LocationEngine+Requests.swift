/// A client's request to the engine.
package enum EngineRequest: Sendable {
  /// The client connected; `peer` is what is behind it, if known.
  case connected(peer: ClientPeer? = nil)
  /// The client disconnected; its views keep their state for a while, its targets end unless they are persistent.
  case disconnected
  /// A renderer's report of its view's position, and the number of the newest fix that it was sent, if known.
  case view(ViewRequest, sent: UInt64? = nil)
  case follow(view: String, enable: Bool)
  /// Restores the state of a view after the daemon restarted.
  case restoreFollow(view: String, following: Bool)
  case locate(timeout: Duration, maxAge: Duration)
  case target(name: String, coordinate: Coordinate, radius: Double, isPersistent: Bool = false)
  case removeTarget(name: String)
  case trip(name: String, TripChange)
  case course(name: String, CourseChange)
}

/// Why a request is refused.
package enum RequestRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  case follow(FollowError)
  case locate(LocateError)
  case target(TargetError)
  case noTarget(name: String)
  case trip(TripError)
  case course(CourseError)

  package var description: String {
    switch self {
    case .follow(let error): "\(error)"
    case .locate(let error): "\(error)"
    case .target(let error): "\(error)"
    case .noTarget(let name): "there is no target \"\(name)\""
    case .trip(let error): "\(error)"
    case .course(let error): "\(error)"
    }
  }
}

/// What a request has done, for the answer to its client. What concerns other clients too are events.
package enum RequestOutcome: Sendable {
  /// Nothing is to be answered, or an event will be the answer: `located`.
  case none
  /// A view's position was reported. The state answers a client's first report, and each one before the first fix,
  /// unless an event has published it.
  case reported(FollowState?)
  /// Following was requested; whether that changed the state, which an event has then published.
  case follow(FollowState, isChanged: Bool)
  case target(Arrival?)
  case targetRemoved(Target)
  /// The trip, and whether it changed, which an event has then published.
  case trip(TripStatus, isChanged: Bool)
  /// The course; an event has published it.
  case course(CourseStatus)
}

extension LocationEngine {
  /// Handles a client's request and returns its answer. Other effects are events, including the answer to `locate`.
  @discardableResult package mutating func handle(
    _ request: EngineRequest, from client: ClientID, at instant: MonotonicInstant, into events: inout EngineEvents
  ) throws(RequestRefusal) -> RequestOutcome {
    advance(to: instant, into: &events)
    defer { noteDeadline() }
    switch request {
    case .connected(let peer): follow.clientConnected(client, of: peer, at: instant)
    case .disconnected:
      follow.clientDisconnected(client, at: instant)
      locates.clientDisconnected(client)
      for target in targets.clientDisconnected(client) { events.append(.targetRemoved(target), at: instant) }
      report(courses.clientDisconnected(client), at: instant, into: &events)
    case .view(let report, let sent):
      do throws(FollowError) {
        let wasRenderer = follow.renderer(of: report.view) == client
        let actions = try follow.report(report, sent: sent, from: client, at: instant)
        apply(actions, at: instant, into: &events)
        let isFirst = !wasRenderer && follow.renderer(of: report.view) == client
        return .reported(actions.isEmpty && (isFirst || newest == nil) ? follow.state(of: report.view) : nil)
      } catch {
        throw .follow(error)
      }
    case .follow(let view, let enable):
      do throws(FollowError) {
        return outcome(
          of: try follow.set(following: enable, view: view, client: client, at: instant), view, at: instant,
          into: &events)
      } catch {
        throw .follow(error)
      }
    case .restoreFollow(let view, let following):
      do throws(FollowError) {
        return outcome(
          of: try follow.restore(following: following, view: view, client: client, at: instant), view, at: instant,
          into: &events)
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
      guard let peer = follow.clients[client] else { return .target(nil) }
      do throws(TargetError) {
        let target = try Target(name: name, coordinate: coordinate, radius: radius)
        if let evicted = try targets.set(target, isPersistent: isPersistent, from: client, of: peer) {
          events.append(.targetRemoved(evicted), at: instant)
        }
      } catch {
        throw .target(error)
      }
      guard let arrival = targets.state(of: name) else { return .target(nil) }
      events.append(.arrival(arrival), at: instant)
      return .target(arrival)
    case .removeTarget(let name):
      guard let target = targets.remove(name, from: follow.clients[client]) else { throw .noTarget(name: name) }
      events.append(.targetRemoved(target), at: instant)
      return .targetRemoved(target)
    case .trip(let name, let change):
      do throws(TripError) {
        let peer = follow.clients[client] ?? .connection(client)
        let (status, isChanged) = try trips.apply(change, to: name, from: peer)
        if isChanged { events.append(.trip(status, isTransition: true), at: instant) }
        return .trip(status, isChanged: isChanged)
      } catch {
        throw .trip(error)
      }
    case .course(let name, let change):
      do throws(CourseError) {
        let peer = follow.clients[client] ?? .connection(client)
        let changed = try courses.apply(change, to: name, from: client, of: peer)
        report(changed, at: instant, into: &events)
        if let course = changed.last { return .course(course) }
      } catch {
        throw .course(error)
      }
    }
    return .none
  }

  /// Adds the persistent targets of an earlier run, before any client connects.
  package mutating func restore(_ kept: [PersistentTarget]) { targets.restore(kept) }

  /// Adds the persistent courses of an earlier run.
  package mutating func restore(_ kept: [PersistentCourse], _ progress: [KeptProgress]) {
    courses.restore(kept, progress)
  }

  private func report(_ courses: [CourseStatus], at instant: MonotonicInstant, into events: inout EngineEvents) {
    for var course in courses {
      course.isTransition = true
      events.append(.course(course), at: instant)
    }
  }

  private mutating func outcome(
    of actions: [FollowAction], _ view: String, at instant: MonotonicInstant, into events: inout EngineEvents
  ) -> RequestOutcome {
    apply(actions, at: instant, into: &events)
    let isChanged = actions.contains { if case .changed = $0 { true } else { false } }
    return .follow(follow.state(of: view), isChanged: isChanged)
  }
}
