import GPSDProtocol
import Testing

@testable import LocationClient

@Suite struct ConnectionStateTests {
  private let watch = Subscription(distanceFilter: 10)
  private let version = VersionReport(release: "1", revision: "a")
  private let follow = FollowReport(view: "main", isFollowing: true)
  private let gone = LocationClientError.noDaemon(endpoint: .unix(path: "x"), reason: "none")

  private let now = ContinuousClock.now

  private func streaming() -> ConnectionState {
    var state = ConnectionState(subscription: watch)
    _ = state.wake()
    state.connected()
    _ = state.received(.version(version), at: now)
    return state
  }

  @Test func `The subscription follows the greeting`() {
    var state = ConnectionState(subscription: watch)
    #expect(state.wake() == [.connect])
    #expect(state.wake().isEmpty)
    state.connected()
    #expect(state.phase == .greeting(refusal: nil))
    #expect(state.received(.version(version), at: now) == [.deliver(.connected(version)), .send(watch.request)])
    #expect(state.received(.watch(WatchReport(enable: true)), at: now).isEmpty)
    #expect(state.received(.follow(follow), at: now) == [.deliver(.follow(follow))])
    #expect(state.received(.other("PPS"), at: now).isEmpty)
  }

  @Test func `Waits grow, and a repeated failure is delivered once`() {
    var state = ConnectionState(subscription: watch)
    _ = state.wake()
    #expect(state.disconnected(gone, random: 0) == [.wait(.milliseconds(250)), .deliver(.disconnected(gone))])
    #expect(state.wake() == [.connect])
    #expect(state.disconnected(gone, random: 0) == [.wait(.milliseconds(500))])
    #expect(state.wake() == [.connect])
    #expect(state.disconnected(.closed, random: 0) == [.wait(.seconds(1)), .deliver(.disconnected(.closed))])
  }

  @Test func `The waits start over after a subscription`() {
    var state = ConnectionState(subscription: watch)
    _ = state.wake()
    for _ in 0..<6 {
      _ = state.disconnected(gone, random: 0)
      _ = state.wake()
    }
    state.connected()
    _ = state.received(.version(version), at: now)
    _ = state.received(.watch(WatchReport(enable: true)), at: now)
    #expect(state.disconnected(.closed, random: 0) == [.wait(.milliseconds(250)), .deliver(.disconnected(.closed))])
  }

  @Test func `A daemon that greets and hangs up still lets the waits grow`() {
    var state = ConnectionState(subscription: watch)
    _ = state.wake()
    var waits: [ConnectionState.Action] = []
    for _ in 0..<6 {
      state.connected()
      _ = state.received(.version(version), at: now)
      waits.append(state.disconnected(.closed, random: 1).first ?? .close)
      _ = state.wake()
    }
    #expect(waits.last == .wait(.seconds(5)))
  }

  @Test func `A refusal before the greeting is the cause of the disconnection`() {
    var state = ConnectionState(subscription: watch)
    _ = state.wake()
    state.connected()
    let full = ErrorReport(message: "256 clients are connected")
    #expect(state.received(.error(full), at: now).isEmpty)
    #expect(state.disconnected(.closed, random: 0).last == .deliver(.disconnected(.remote(full))))
  }

  @Test func `A violation closes the connection and nothing more is read`() {
    var state = streaming()
    #expect(state.failed(.protocolViolation("no JSON")) == [.close])
    #expect(state.failed(.protocolViolation("no JSON")).isEmpty)
    #expect(state.received(.follow(follow), at: now).isEmpty)
    #expect(state.disconnected(.closed, random: 0).last == .deliver(.disconnected(.protocolViolation("no JSON"))))
  }

  @Test func `A report before the greeting is a protocol violation`() {
    var state = ConnectionState(subscription: watch)
    _ = state.wake()
    state.connected()
    #expect(state.received(.follow(follow), at: now) == [.close])
  }

  @Test func `An error while streaming is delivered`() {
    var state = streaming()
    let error = ErrorReport(message: "no")
    #expect(state.received(.error(error), at: now) == [.deliver(.error(error))])
    #expect(state.phase == .streaming)
  }

  @Test func `A view that did not follow is restored before the next subscription`() {
    var state = streaming()
    let free = FollowReport(view: "main", isFollowing: false, reason: .drift)
    state.reported(view: "main")
    state.reported(view: "mini")
    _ = state.received(.follow(free), at: now)
    _ = state.received(.follow(FollowReport(view: "mini", isFollowing: true)), at: now)
    _ = state.received(.follow(FollowReport(view: "of another client", isFollowing: false)), at: now)
    _ = state.disconnected(.closed, random: 0)
    _ = state.wake()
    state.connected()
    #expect(
      state.received(.version(version), at: now) == [
        .deliver(.connected(version)), .send(.additions),
        .send(.engine(.restoreFollow(view: "main", following: false))),
        .send(watch.request),
      ])
    var line = JSONLine(capacity: 128)
    Request.engine(.restoreFollow(view: "main", following: false)).write(into: &line)
    #expect(
      String(decoding: line.bytes, as: UTF8.self)
        == #"?FOLLOW={"view":"main","following":false,"restore":true};"# + "\r\n")
    // Re-engaged meanwhile: there is nothing to restore.
    _ = state.received(.follow(follow), at: now)
    _ = state.disconnected(.closed, random: 0)
    _ = state.wake()
    state.connected()
    #expect(state.received(.version(version), at: now).count == 2)
  }

  @Test func `Targets are set when there is a connection, and again after the next subscription`() throws {
    func target(_ name: String, radius: Double = 50) throws -> TargetRequest {
      TargetRequest(name: name, position: try #require(Coordinate(latitude: 48, longitude: 11)), radius: radius)
    }
    let (home, work, lake) = (try target("home"), try target("work"), try target("lake"))
    var state = ConnectionState(subscription: watch)
    #expect(state.change(.setTarget(home)).isEmpty)
    func reconnected(_ targets: [TargetRequest], from state: inout ConnectionState) {
      _ = state.disconnected(.closed, random: 0)
      _ = state.wake()
      state.connected()
      #expect(
        state.received(.version(version), at: now) == [.deliver(.connected(version)), .send(watch.request)]
          + targets.map { .send(.engine(.setTarget($0))) })
    }
    reconnected([home], from: &state)
    #expect(state.change(.setTarget(work)) == [.send(.engine(.setTarget(work)))])
    #expect(state.change(.setTarget(lake)) == [.send(.engine(.setTarget(lake)))])
    let larger = try target("home", radius: 90)
    #expect(state.change(.setTarget(larger)) == [.send(.engine(.setTarget(larger)))])
    #expect(state.change(.removeTarget(name: "work")) == [.send(.engine(.removeTarget(name: "work")))])
    // Another client removes two targets, one of which this client sets again.
    for name in ["home", "lake", "of another client"] {
      _ = state.received(.arrival(ArrivalReport(name: name, state: .removed)), at: now)
    }
    _ = state.change(.setTarget(larger))
    reconnected([larger], from: &state)
  }

  @Test func `Satellites and trips are left out of a subscription without them`() {
    for (satellites, trips) in [(true, false), (false, true)] {
      let subscription = Subscription(includesSatellites: satellites, includesTrips: trips)
      var state = ConnectionState(subscription: subscription)
      _ = state.wake()
      state.connected()
      #expect(state.received(.version(version), at: now).contains(.send(subscription.request)))
      #expect(state.received(.sky(SkyReport()), at: now).isEmpty != satellites)
      #expect(state.received(.trip(TripReport(name: "day")), at: now).isEmpty != trips)
    }
    #expect(Subscription(includesTrips: false).request == .watch(watched { $0.trips = false }))
  }

  private func watched(_ change: (inout WatchRequest) -> Void) -> WatchRequest {
    var watch = WatchRequest()
    (watch.json, watch.handlebar) = (true, true)
    change(&watch)
    return watch
  }

  @Test func `A position carries the instant of its reception, also when it is repeated`() throws {
    for (age, text) in [(Duration.zero, ""), (.milliseconds(2500), #","age":2.5"#)] {
      var state = streaming()
      let report = try Report(line: Array(#"{"class":"TPV","mode":3,"lat":1,"lon":2\#(text)}"#.utf8)[...])
      guard case .deliver(.position(let position))? = state.received(report, at: now).first else {
        Issue.record("no position")
        return
      }
      #expect(position.received == now - age)
    }
  }

  @Test func `Nothing happens after cancel()`() {
    var state = streaming()
    state.cancel()
    #expect(state.phase == .ended)
    #expect(state.disconnected(.closed, random: 0).isEmpty)
    #expect(state.wake().isEmpty)
    #expect(state.received(.follow(follow), at: now).isEmpty)
    state.cancel()
    #expect(state.wake().isEmpty)
  }

  @Test func `A report without a fix is not a position`() throws {
    var state = streaming()
    for line in [
      #"{"class":"TPV","mode":1,"status":0}"#, #"{"class":"TPV","mode":1,"lat":1,"lon":1}"#,
      #"{"class":"TPV","mode":3}"#,
      #"{"class":"TPV","mode":3,"lat":91,"lon":1}"#, #"{"class":"TPV","mode":0}"#,
    ] {
      #expect(state.received(try Report(line: Array(line.utf8)[...]), at: now).isEmpty, "\(line)")
    }
  }
}
