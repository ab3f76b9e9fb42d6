import GPSDProtocol
import LocationClientTesting
import Testing

@testable import LocationClient

@Suite struct ExchangeStateTests {
  private func reply(_ line: String) throws -> Reply { try Reply(line: Array(line.utf8)) }
  private var version: Reply { get throws { try reply(FakeDaemon.version) } }
  private var follow: Reply { get throws { try reply(#"{"class":"FOLLOW","view":"main","following":true}"#) } }

  @Test func `Replies are collected up to the second VERSION`() throws {
    var state = ExchangeState(requests: [.question(.follow(view: nil))], end: .version)
    #expect(state.received(try version) == .send([.question(.follow(view: nil)), .version]))
    #expect(state.received(try follow) == .none)
    #expect(state.received(try version) == .succeed([try follow]))
    #expect(state.received(try follow) == .none)
    #expect(state.failed(.closed) == .none)
  }

  @Test func `A locate request ends with a position`() throws {
    var state = ExchangeState(requests: [.engine(.locate(timeout: nil, maxAge: nil))], end: .position)
    #expect(state.received(try version) == .send([.engine(.locate(timeout: nil, maxAge: nil))]))
    #expect(state.received(try reply(#"{"class":"TPV","mode":1}"#)) != .succeed([]))
    let fix = try reply(#"{"class":"TPV","mode":2,"lat":1,"lon":2}"#)
    guard case .succeed(let reports) = state.received(fix) else {
      Issue.record("not ended")
      return
    }
    #expect(reports.last == fix)
  }

  @Test func `An error ends the exchange before and after the greeting`() throws {
    var early = ExchangeState(requests: [.status], end: .version)
    let full = ErrorReport(message: "full")
    let refusal = try reply(#"{"class":"ERROR","message":"full"}"#)
    #expect(early.received(refusal) == .fail(.remote(full)))
    var late = ExchangeState(requests: [.engine(.locate(timeout: nil, maxAge: nil))], end: .position)
    _ = late.received(try version)
    let denied = try reply(#"{"class":"ERROR","message":"no","code":"denied","request":"LOCATE","remedy":"join"}"#)
    #expect(late.received(denied) == .fail(.denied(message: "no", remedy: "join")))
    #expect(late.failed(.timedOut(lastKnown: nil)) == .none)
  }

  @Test func `A report before the greeting is a protocol violation`() throws {
    var state = ExchangeState(requests: [.status], end: .version)
    guard case .fail(.protocolViolation) = state.received(try follow) else {
      Issue.record("taken for an answer")
      return
    }
  }

  @Test func `An answer without an end fails`() throws {
    var state = ExchangeState(requests: [.question(.targets)], end: .version)
    _ = state.received(try version)
    var last = ExchangeState.Action.none
    for _ in 0...ExchangeState.maximumReplies { last = state.received(try follow) }
    #expect(last == .fail(.protocolViolation("the reply does not end")))
  }
}
