import FoundationEssentials
import GPSDProtocol
import LocationClient
import LocationCore
import Testing

@Suite struct ValueTests {
  private func known<Name: OpenName>(_ type: Name.Type, _ names: [String]) {
    for name in names {
      let value = Name(stringLiteral: name)
      #expect(value.rawValue == name)
      #expect(!"\(String(reflecting: value))".contains("unknown"), "\(name)")
    }
    #expect(Name(stringLiteral: "of a later release").rawValue == "of a later release")
    #expect(Name(stringLiteral: "of a later release") == Name(stringLiteral: "of a later release"))
  }

  @Test("Every name that the daemon sends is a case")
  func names() {
    known(Position.Reason.self, DeliveryReason.allCases.map(\.rawValue))
    known(StateReport.State.self, SourcePhase.allCases.map(\.rawValue))
    known(StateReport.Lead.self, LeadReason.allCases.map(\.rawValue))
    known(FollowReport.Reason.self, FollowReason.allCases.map(\.rawValue))
    known(ArrivalReport.State.self, ArrivalState.allCases.map(\.rawValue))
    known(RecordReport.State.self, ["starting", "recording", "stopped", "failed", "off"])
    known(
      ErrorCode.self,
      [
        "request", "forbidden", "noTarget", "timedOut", "denied", "notFound", "busy", "disabled", "unavailable",
        "misconfigured", "noNMEA", "tooManyClients", "stopping",
      ])
  }

  @Test("An instant becomes a date and comes back")
  func dates() throws {
    let instant = UTCInstant(nanosecondsSince1970: 1_773_923_719_250_000_000)
    #expect(Date(instant) == Date(timeIntervalSince1970: 1_773_923_719.25))
    #expect(UTCInstant(Date(instant)) == instant)
    let early = UTCInstant(nanosecondsSince1970: -1_500_000_000)
    #expect(Date(early) == Date(timeIntervalSince1970: -1.5))
    #expect(UTCInstant(Date(early)) == early)
    #expect(UTCInstant(Date(timeIntervalSince1970: 1e12)) == nil)
    #expect(UTCInstant(Date(timeIntervalSince1970: .nan)) == nil)
  }

  @Test("Instants are moved and compared, and stay in their range")
  func instants() {
    let instant = UTCInstant(nanosecondsSince1970: 10)
    #expect(instant + .nanoseconds(5) - instant == .nanoseconds(5))
    #expect(instant - .nanoseconds(15) == UTCInstant(nanosecondsSince1970: -5))
    let (first, last) = (UTCInstant(nanosecondsSince1970: .min), UTCInstant(nanosecondsSince1970: .max))
    #expect(last + .seconds(1) == last)
    #expect(first - .seconds(1) == first)
    #expect(last - first == .nanoseconds(Int64.max) + .nanoseconds(Int64.max) + .nanoseconds(1))
  }

  @Test("A point is moved by a distance and a bearing")
  func moved() throws {
    let home = try #require(Coordinate(latitude: 48.137, longitude: 11.575))
    let place = try #require(home.moved(by: 25_000, bearing: 123))
    #expect(abs(home.distance(to: place) - 25_000) < 1e-6)
    #expect(abs(try #require(home.bearing(to: place)) - 123) < 1e-9)
    #expect(home.bearing(to: home) == nil)
    #expect(home.moved(by: .nan, bearing: 0) == nil)
  }
}
