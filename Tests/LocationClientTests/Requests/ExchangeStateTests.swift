import GPSDProtocol
import Testing

@testable import LocationClient

@Suite struct ExchangeStateTests {
  private let version = Report.version(VersionReport(release: "1", rev: "a"))
  private let follow = Report.follow(FollowReport(view: "main", following: true))

  private func report(_ line: String) throws -> Report { try Report(line: Array(line.utf8)[...]) }

  @Test func collectsUntilTheSecondVersion() {
    var state = ExchangeState(requests: [.follow(view: nil)], end: .version)
    #expect(state.received(version) == .send([.follow(view: nil), .version]))
    #expect(state.received(follow) == .none)
    #expect(state.received(version) == .succeed([follow]))
    #expect(state.received(follow) == .none)
    #expect(state.failed(.closed) == .none)
  }

  @Test func waitsForAPosition() throws {
    var state = ExchangeState(requests: [.locate(LocateRequest())], end: .position)
    #expect(state.received(version) == .send([.locate(LocateRequest())]))
    #expect(state.received(try report(#"{"class":"TPV","mode":1}"#)) != .succeed([]))
    let fix = try report(#"{"class":"TPV","mode":2,"lat":1,"lon":2}"#)
    guard case .succeed(let reports) = state.received(fix) else {
      Issue.record("not ended")
      return
    }
    #expect(reports.last == fix)
  }

  @Test func anErrorEndsItWhereverItComes() {
    var early = ExchangeState(requests: [.status], end: .version)
    let full = ErrorReport(message: "full")
    #expect(early.received(.error(full)) == .fail(.remote(full)))
    var late = ExchangeState(requests: [.locate(LocateRequest())], end: .position)
    _ = late.received(version)
    let denied = ErrorReport(message: "no", code: "denied", request: "LOCATE", remedy: "join")
    #expect(late.received(.error(denied)) == .fail(.denied(message: "no", remedy: "join")))
    #expect(late.failed(.timedOut(lastKnown: nil)) == .none)
  }

  @Test func aReportBeforeTheGreetingIsAViolation() {
    var state = ExchangeState(requests: [.status], end: .version)
    guard case .fail(.protocolViolation) = state.received(follow) else {
      Issue.record("taken for an answer")
      return
    }
  }

  @Test func anAnswerWithoutAnEndIsCutOff() {
    var state = ExchangeState(requests: [.targets], end: .version)
    _ = state.received(version)
    var last = ExchangeState.Action.none
    for _ in 0...ExchangeState.maximumReplies { last = state.received(follow) }
    #expect(last == .fail(.protocolViolation("the answer has no end")))
  }
}
