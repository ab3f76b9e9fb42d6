import FoundationEssentials
import GPSDProtocol
import LocationClient
import LocationCore
import Testing

@Suite struct ValueTests {
  /// Checks that `members` are exactly the names that the daemon sends, and that any other name is kept.
  private func known<Names>(_ members: [OpenName<Names>], _ names: [String]) {
    #expect(members.map(\.rawValue).sorted() == names.sorted())
    #expect(OpenName<Names>(rawValue: "of a later release").rawValue == "of a later release")
    #expect(OpenName<Names>(rawValue: "of a later release") == .init("of a later release"))
  }

  private func decoded<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
  }

  @Test func `Values are decoded as they were encoded`() throws {
    let place = try #require(Coordinate(latitude: 48.137, longitude: 11.575))
    let position = Position(coordinate: place, time: UTCInstant(nanosecondsSince1970: 5), speed: 5, reason: .moved)
    let read = try decoded(position)
    #expect(read == position && read.received == position.received)
    var state = StateReport(phase: .lost, source: "serial")
    (state.elapsed, state.lastKnown, state.counts) = (.seconds(1.5), LastKnown(coordinate: place), ["fixes": 3])
    state.isEstimating = true
    #expect(try decoded(state) == state)
    let follow = FollowReport(view: "main", isFollowing: true, reason: .initial)
    #expect(try decoded(follow) == follow)
    let arrival = ArrivalReport(name: "home", state: .away, coordinate: place, timeRemaining: .seconds(8))
    #expect(try decoded(arrival) == arrival)
    let sky = SkyReport(satellites: [SkyReport.Satellite(number: 5, isUsed: true)])
    #expect(try decoded(sky) == sky)
    let trip = TripReport(name: "day", state: .moving)
    #expect(try decoded(trip) == trip)
    let playback = PlaybackReport(position: .seconds(1.5), speed: 2, isPaused: true)
    #expect(try decoded(playback) == playback)
    let source = SourceReport(source: "serial", phase: .tracking)
    let status = StatusReport(release: "1", uptime: .seconds(3), phase: .tracking, clients: 1, sources: [source])
    #expect(try decoded(status) == status)
    let beyond = Array(#"{"latitude":91,"longitude":0}"#.utf8)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Coordinate.self, from: Data(beyond)) }
  }

  @Test func `Every name that the daemon sends is a member`() {
    known(
      [
        Position.Reason.first, .moved, .stopped, .started, .mode, .source, .regained, .heartbeat, .requested, .snapshot,
      ], DeliveryReason.allCases.map(\.rawValue))
    known(
      [StateReport.Phase.idle, .opening, .acquiring, .tracking, .lost, .failed], SourcePhase.allCases.map(\.rawValue))
    known([StateReport.LeadReason.silent, .noFix, .failed, .preferred, .removed], LeadReason.allCases.map(\.rawValue))
    known(
      [
        StateReport.AbsenceReason.noDevice, .denied, .busy, .disabled, .unavailable, .misconfigured, .silent,
        .wrongSpeed, .noNMEA, .antenna, .jammed, .implausible, .timeOnly, .noPosition, .searching,
      ], AbsenceReason.allCases.map(\.rawValue))
    known(
      [StateReport.Interference.unknown, .ok, .warning, .critical],
      (0...3).compactMap(Interference.Jamming.init(rawValue:)).map { "\($0)" })
    known(
      [StateReport.Interference.unknown, .none, .indicated, .multiple],
      (0...3).compactMap(Interference.Spoofing.init(rawValue:)).map { "\($0)" })
    known(
      [StateReport.Antenna.unknown, .ok, .open, .short],
      (0...3).compactMap(Interference.Antenna.init(rawValue:)).map { "\($0)" })
    known([FollowReport.Reason.initial, .drift, .requested], FollowReason.allCases.map(\.rawValue))
    known([ArrivalReport.State.away, .arriving, .removed], ArrivalState.allCases.map(\.rawValue) + ["removed"])
    known([TripReport.State.moving, .paused, .lost, .ended], ["moving", "paused", "lost", "ended"])
    known(
      [SensorReport.Kind.wheel, .pressure, .crank, .heartRate, .power, .temperature],
      SensorKind.allCases.map(\.rawValue))
    known(
      [RecordReport.State.starting, .recording, .stopped, .failed, .off],
      ["starting", "recording", "stopped", "failed", "off"])
    known(
      [
        ErrorCode.request, .forbidden, .noTarget, .noTrip, .noSensor, .timedOut, .denied, .notFound, .busy, .disabled,
        .unavailable,
        .misconfigured, .noNMEA, .tooManyClients, .stopping,
      ],
      [
        "request", "forbidden", "noTarget", "noTrip", "noSensor", "timedOut", "denied", "notFound", "busy", "disabled",
        "unavailable",
        "misconfigured", "noNMEA", "tooManyClients", "stopping",
      ])
  }

  #if Foundation
    @Test func `An instant becomes a date and comes back`() throws {
      let instant = UTCInstant(nanosecondsSince1970: 1_773_923_719_250_000_000)
      #expect(Date(instant) == Date(timeIntervalSince1970: 1_773_923_719.25))
      #expect(UTCInstant(Date(instant)) == instant)
      let early = UTCInstant(nanosecondsSince1970: -1_500_000_000)
      #expect(Date(early) == Date(timeIntervalSince1970: -1.5))
      #expect(UTCInstant(Date(early)) == early)
      #expect(UTCInstant(Date(timeIntervalSince1970: 1e12)) == nil)
      #expect(UTCInstant(Date(timeIntervalSince1970: .nan)) == nil)
    }
  #endif

  @Test func `Instants are moved and compared, and stay in their range`() {
    let instant = UTCInstant(nanosecondsSince1970: 10)
    #expect(instant + .nanoseconds(5) - instant == .nanoseconds(5))
    #expect(instant - .nanoseconds(15) == UTCInstant(nanosecondsSince1970: -5))
    let (first, last) = (UTCInstant(nanosecondsSince1970: .min), UTCInstant(nanosecondsSince1970: .max))
    #expect(last + .seconds(1) == last)
    #expect(first - .seconds(1) == first)
    #expect(last - first == .nanoseconds(Int64.max) + .nanoseconds(Int64.max) + .nanoseconds(1))
  }

  @Test func `A point is moved by a distance and a bearing`() throws {
    let home = try #require(Coordinate(latitude: 48.137, longitude: 11.575))
    let place = try #require(home.moved(by: 25_000, bearing: 123))
    #expect(abs(home.distance(to: place) - 25_000) < 1e-6)
    #expect(abs(try #require(home.bearing(to: place)) - 123) < 1e-9)
    #expect(home.bearing(to: home) == nil)
    #expect(home.moved(by: .nan, bearing: 0) == nil)
  }
}
