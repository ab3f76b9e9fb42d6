import Testing

@testable import LocationCore

@Suite("Pending locate requests")
struct PendingLocatesTests {
  private var ride = RideFixture()
  private let client = ClientID(1)

  private func request(_ client: UInt64, timeout: Double = 10, maxAge: Double = 2) -> Locate {
    Locate(client: ClientID(client), timeout: .seconds(timeout), maxAge: .seconds(maxAge))
  }

  @Test(arguments: [0.0, 1.999, 2, 2.001, 60])
  func `A fix at most 2 s old answers at once, an older one does not`(_ age: Double) throws {
    var (locates, ride) = (LocateDesk(), ride)
    let fix = ride.fix(here, at: at(100))
    _ = locates.published(fix)
    let answer = try locates.request(request(1), at: at(100 + age))
    #expect(answer?.outcome == (age <= 2 ? .fix(fix) : nil))
    #expect((locates.deadline == nil) == (age <= 2))
  }

  @Test func `The next fix answers each pending request once`() throws {
    var (locates, ride) = (LocateDesk(), ride)
    #expect(try locates.request(request(1), at: at(0)) == nil)
    #expect(try locates.request(request(2), at: at(1)) == nil)
    let fix = ride.fix(here, at: at(3))
    let answers = locates.published(fix)
    #expect(answers.map(\.client.number) == [1, 2])
    #expect(answers.allSatisfy { $0.outcome == .fix(fix) })
    #expect(locates.published(ride.fix(here, at: at(4))).isEmpty)
    #expect(locates.expire(at: at(99)).isEmpty)
  }

  @Test func `A fix measured too long before the request does not answer it`() throws {
    var (locates, ride) = (LocateDesk(), ride)
    _ = try locates.request(request(1), at: at(10))
    #expect(locates.published(ride.fix(here, at: at(7.9))).isEmpty)
    #expect(locates.published(ride.fix(here, at: at(8))).count == 1)
  }

  @Test func `A request is answered at its timeout, once`() throws {
    var (locates, ride) = (LocateDesk(), ride)
    let old = ride.fix(here, at: at(0))
    _ = locates.published(old)
    _ = try locates.request(request(7), at: at(50))
    #expect(locates.deadline == at(60))
    #expect(locates.expire(at: at(59.999)).isEmpty)
    #expect(
      locates.expire(at: at(60)) == [
        LocateAnswer(client: ClientID(7), outcome: .timedOut)
      ])
    #expect(locates.expire(at: at(61)).isEmpty)
    #expect(locates.published(ride.fix(here, at: at(62))).isEmpty)
    #expect(locates.deadline == nil)
  }

  @Test func `Without any fix a request ends at its timeout, or at once`() throws {
    var locates = LocateDesk()
    _ = try locates.request(request(7, timeout: 1), at: at(0))
    let answers = locates.expire(at: at(1))
    #expect(answers.first?.outcome == .timedOut)
    #expect(try locates.request(request(8, timeout: 0), at: at(2))?.outcome == .timedOut)
  }

  @Test(
    arguments: [
      SourceError.denied(device: "d", group: nil, user: nil), .disabled(source: "s", by: .rfkill(name: "gps")),
      .misconfigured(source: "s", reason: "r"),
    ]
  )
  func `The errors denied, disabled and misconfigured answer pending and new requests at once`(_ error: SourceError)
    throws
  {
    var locates = LocateDesk()
    _ = try locates.request(request(1), at: at(0))
    #expect(locates.setPermanentError(error).map(\.outcome) == [.failed(error)])
    #expect(try locates.request(request(2), at: at(2))?.outcome == .failed(error))
    #expect(locates.setPermanentError(nil).isEmpty)
    #expect(try locates.request(request(3), at: at(4)) == nil)
  }

  @Test(
    arguments: [
      SourceError.unavailable(source: "s", reason: "r"), .busy(device: "d", holder: nil),
      .notFound(device: "d", present: []), .noNMEA(device: "d", bytes: 1, speeds: []),
    ]
  )
  func `A transient error does not answer`(_ error: SourceError) throws {
    var (locates, ride) = (LocateDesk(), ride)
    _ = try locates.request(request(1), at: at(0))
    #expect(locates.setPermanentError(error).isEmpty)
    #expect(try locates.request(request(2), at: at(2)) == nil)
    #expect(locates.published(ride.fix(here, at: at(3))).count == 2)
  }

  @Test(arguments: 1...10)
  func `Each request gets exactly one answer`(_ seed: Int) throws {
    var random = SeededNoise(seed: UInt64(seed))
    var (locates, ride) = (LocateDesk(), ride)
    var answers: [UInt64: Int] = [:]
    var asked: UInt64 = 0
    for step in 0..<4_000 {
      let now = at(Double(step) * 0.5)
      var got: [LocateAnswer] = []
      switch random.uniform(0...1) {
      case ..<0.5:
        let question = request(asked + 1, timeout: random.uniform(0...9), maxAge: random.uniform(0...3))
        if let answer = try locates.request(question, at: now) { got.append(answer) }
        asked += 1
      case ..<0.55: got = locates.published(ride.fix(here, at: now))
      case ..<0.57: got = locates.setPermanentError(.misconfigured(source: "s", reason: "r"))
      case ..<0.59: got = locates.setPermanentError(nil)
      default: got = locates.expire(at: now)
      }
      for answer in got { answers[answer.client.number, default: 0] += 1 }
    }
    for answer in locates.expire(at: at(1e6)) { answers[answer.client.number, default: 0] += 1 }
    #expect(answers.count == Int(asked) && answers.values.allSatisfy { $0 == 1 })
  }

  @Test func `A client that disconnects gets no answer`() throws {
    var locates = LocateDesk()
    _ = try locates.request(request(1), at: at(0))
    locates.clientDisconnected(ClientID(2))
    #expect(locates.deadline != nil)
    locates.clientDisconnected(client)
    #expect(locates.deadline == nil)
  }

  @Test func `A client cannot block the others`() throws {
    var locates = LocateDesk()
    for _ in 0..<8 { _ = try locates.request(request(1), at: at(0)) }
    #expect(throws: RequestRefusal.full(.locates)) { try locates.request(request(1), at: at(0)) }
    for number in 2..<202 {
      for _ in 0..<8 { #expect(try locates.request(request(UInt64(number)), at: at(0)) == nil) }
    }
  }
}

/// Pending requests beside the newest fix, which the engine owns.
private struct LocateDesk {
  private var locates = PendingLocates()
  private var newest: PublishedFix?

  var deadline: MonotonicInstant? { locates.deadline }

  mutating func request(_ locate: Locate, at instant: MonotonicInstant) throws(RequestRefusal) -> LocateAnswer? {
    try locates.add(locate, newest: newest, at: instant)
  }

  mutating func published(_ fix: PublishedFix) -> [LocateAnswer] {
    newest = fix
    return locates.published(fix)
  }

  mutating func setPermanentError(_ error: SourceError?) -> [LocateAnswer] { locates.setPermanentError(error) }
  mutating func expire(at instant: MonotonicInstant) -> [LocateAnswer] { locates.expire(at: instant) }
  mutating func clientDisconnected(_ client: ClientID) { locates.clientDisconnected(client) }
}
