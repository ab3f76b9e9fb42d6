import Testing

@testable import LocationCore

@Suite("One-shot location")
struct LocateDeskTests {
  private var ride = RideFixture()
  private let session = SessionID(1)

  private func request(_ id: UInt64, timeout: Double = 10, maxAge: Double = 2) throws -> LocateRequest {
    try LocateRequest(id: id, session: session, timeout: .seconds(timeout), maxAge: .seconds(maxAge))
  }

  @Test("a fix at most 2 s old is the answer at once; an older one is not", arguments: [0.0, 1.999, 2, 2.001, 60])
  func age(_ age: Double) throws {
    var (desk, ride) = (LocateDesk(), ride)
    let fix = ride.fix(here, at: at(100))
    _ = desk.published(fix, at: at(100))
    let answer = try desk.request(request(1), at: at(100 + age))
    #expect(answer?.outcome == (age <= 2 ? .fix(fix) : nil))
    #expect(answer?.age == (age <= 2 ? at(100 + age) - at(100) : nil))
    #expect(desk.pending == (age <= 2 ? 0 : 1))
  }

  @Test("the next fix answers everyone who waits, each once")
  func waits() throws {
    var (desk, ride) = (LocateDesk(), ride)
    #expect(try desk.request(request(1), at: at(0)) == nil)
    #expect(try desk.request(request(2), at: at(1)) == nil)
    let fix = ride.fix(here, at: at(3))
    let answers = desk.published(fix, at: at(3))
    #expect(answers.map(\.id) == [1, 2])
    #expect(answers.allSatisfy { $0.outcome == .fix(fix) && $0.age == .zero && $0.session == session })
    #expect(desk.published(ride.fix(here, at: at(4)), at: at(4)).isEmpty)
    #expect(desk.expire(at: at(99)).isEmpty)
  }

  @Test("a fix that was held back longer than the age allows does not answer")
  func heldBack() throws {
    var (desk, ride) = (LocateDesk(), ride)
    _ = try desk.request(request(1), at: at(10))
    #expect(desk.published(ride.fix(here, at: at(7.9)), at: at(10.5)).isEmpty)
    #expect(desk.published(ride.fix(here, at: at(8)), at: at(10.6)).count == 1)
  }

  @Test("after the timeout: an error of its own, with the last known position and its age")
  func timeout() throws {
    var (desk, ride) = (LocateDesk(), ride)
    let old = ride.fix(here, at: at(0))
    _ = desk.published(old, at: at(0))
    _ = try desk.request(request(7), at: at(50))
    #expect(desk.deadline == at(60))
    #expect(desk.expire(at: at(59.999)).isEmpty)
    #expect(
      desk.expire(at: at(60)) == [
        LocateAnswer(id: 7, session: session, outcome: .timedOut, lastKnown: old, age: .seconds(60))
      ])
    #expect(desk.expire(at: at(61)).isEmpty)
    #expect(desk.published(ride.fix(here, at: at(62)), at: at(62)).isEmpty)
    #expect(desk.deadline == nil)
  }

  @Test("without any fix there is no last known position")
  func nothingKnown() throws {
    var desk = LocateDesk()
    _ = try desk.request(request(7, timeout: 1), at: at(0))
    let answers = desk.expire(at: at(1))
    #expect(answers.first?.outcome == .timedOut)
    #expect(answers.first?.lastKnown == nil && answers.first?.age == nil)
    #expect(try desk.request(request(8, timeout: 0), at: at(2))?.outcome == .timedOut)
  }

  @Test(
    "denied, disabled and misconfigured answer at once, those who wait and those who come",
    arguments: [
      SourceError.denied(device: "d", group: nil, user: nil), .disabled(source: "s", by: .rfkill(name: "gps")),
      .misconfigured(source: "s", reason: "r"),
    ])
  func hopeless(_ error: SourceError) throws {
    var desk = LocateDesk()
    _ = try desk.request(request(1), at: at(0))
    #expect(desk.hopeless(error, at: at(1)).map(\.outcome) == [.failed(error)])
    #expect(try desk.request(request(2), at: at(2))?.outcome == .failed(error))
    #expect(desk.hopeless(nil, at: at(3)).isEmpty)
    #expect(try desk.request(request(3), at: at(4)) == nil)
  }

  @Test(
    "what may pass by itself is waited for",
    arguments: [
      SourceError.unavailable(source: "s", reason: "r"), .busy(device: "d", holder: nil),
      .notFound(device: "d", present: []), .noNMEA(device: "d", bytes: 1, speeds: []),
    ])
  func unavailable(_ error: SourceError) throws {
    var (desk, ride) = (LocateDesk(), ride)
    _ = try desk.request(request(1), at: at(0))
    #expect(desk.hopeless(error, at: at(1)).isEmpty)
    #expect(try desk.request(request(2), at: at(2)) == nil)
    #expect(desk.published(ride.fix(here, at: at(3)), at: at(3)).count == 2)
  }

  @Test("exactly one answer each, whatever happens", arguments: 1...10)
  func exactlyOne(_ seed: Int) throws {
    var random = SeededNoise(seed: UInt64(seed))
    var (desk, ride) = (LocateDesk(limit: 20, limitPerSession: 20), ride)
    var answers: [UInt64: Int] = [:]
    var asked: UInt64 = 0
    for step in 0..<4_000 {
      let now = at(Double(step) * 0.5)
      var got: [LocateAnswer] = []
      switch random.uniform(0...1) {
      case ..<0.5:
        let question = try request(asked + 1, timeout: random.uniform(0...9), maxAge: random.uniform(0...3))
        do throws(LocateError) {
          if let answer = try desk.request(question, at: now) { got.append(answer) }
          asked += 1
        } catch {
          #expect(error == .tooMany(limit: 20))
        }
      case ..<0.55: got = desk.published(ride.fix(here, at: now), at: now)
      case ..<0.57: got = desk.hopeless(.misconfigured(source: "s", reason: "r"), at: now)
      case ..<0.59: got = desk.hopeless(nil, at: now)
      default: got = desk.expire(at: now)
      }
      for answer in got { answers[answer.id, default: 0] += 1 }
      #expect(desk.pending <= 20)
    }
    for answer in desk.expire(at: at(1e6)) { answers[answer.id, default: 0] += 1 }
    #expect(answers.count == Int(asked) && answers.values.allSatisfy { $0 == 1 })
  }

  @Test("a client that leaves is not answered")
  func leaves() throws {
    var desk = LocateDesk()
    _ = try desk.request(request(1), at: at(0))
    desk.sessionClosed(SessionID(2))
    #expect(desk.pending == 1)
    desk.sessionClosed(session)
    #expect(desk.pending == 0 && desk.deadline == nil)
  }

  @Test("no client keeps out the others")
  func perSession() throws {
    var desk = LocateDesk(limit: 9, limitPerSession: 8)
    for id in 0..<8 { _ = try desk.request(request(UInt64(id)), at: at(0)) }
    #expect(throws: LocateError.tooManyOfSession(limit: 8)) { try desk.request(request(8), at: at(0)) }
    let other = try LocateRequest(id: 0, session: SessionID(2))
    #expect(try desk.request(other, at: at(0)) == nil)
    #expect(throws: LocateError.tooMany(limit: 9)) { try desk.request(other, at: at(0)) }
  }

  @Test("times that are none are errors")
  func errors() {
    #expect(throws: LocateError.timeout(.seconds(-1))) { try request(1, timeout: -1) }
    #expect(throws: LocateError.timeout(.seconds(3_601))) { try request(1, timeout: 3_601) }
    #expect(throws: LocateError.maxAge(.seconds(-1))) { try request(1, maxAge: -1) }
  }
}
