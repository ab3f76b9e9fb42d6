/// Answers each question for one fix exactly once.
package struct LocateDesk: Sendable {
  private struct Waiting {
    var request: LocateRequest
    var deadline: MonotonicInstant
  }

  /// Most questions that wait at once.
  package let limit: Int
  /// Most questions of one client that wait at once, so that none keeps out the others.
  package let limitPerSession: Int
  /// The newest fix published.
  package private(set) var newest: PublishedFix?

  /// When `expire(at:)` has something to do.
  package private(set) var deadline: MonotonicInstant?

  private var waiting: [Waiting] = [] {
    didSet { deadline = waiting.lazy.map(\.deadline).min() }
  }
  private var hopeless: SourceError?

  package init(limit: Int = 1_024, limitPerSession: Int = 8) {
    self.limit = limit
    self.limitPerSession = limitPerSession
  }

  /// How many questions wait.
  package var pending: Int { waiting.count }

  /// Takes a question: the answer, if it is ready, or `nil` when it will come later.
  package mutating func request(
    _ request: LocateRequest, at instant: MonotonicInstant
  ) throws(LocateError) -> LocateAnswer? {
    if let newest, instant - newest.fix.received <= request.maxAge {
      return answer(request, .fix(newest), at: instant)
    }
    if let hopeless { return answer(request, .failed(hopeless), at: instant) }
    guard request.timeout > .zero else { return answer(request, .timedOut, at: instant) }
    guard waiting.count < limit else { throw .tooMany(limit: limit) }
    guard waiting.count(where: { $0.request.session == request.session }) < limitPerSession else {
      throw .tooManyOfSession(limit: limitPerSession)
    }
    waiting.append(Waiting(request: request, deadline: instant + request.timeout))
    return nil
  }

  /// Takes every published fix; it answers all that wait.
  ///
  /// A fix that was measured longer before a question than it allows does not answer it.
  package mutating func published(_ fix: PublishedFix, at instant: MonotonicInstant) -> [LocateAnswer] {
    newest = fix
    return take(at: instant) { waiting in
      let asked = waiting.deadline - waiting.request.timeout
      return fix.fix.received >= asked - waiting.request.maxAge ? .fix(fix) : nil
    }
  }

  /// Takes the error that leaves no hope of a fix (`SourceSupervisor.hopeless`), or that there is hope again.
  ///
  /// Only `denied`, `disabled` and `misconfigured` end the waiting; what may pass by itself is waited for.
  package mutating func hopeless(_ error: SourceError?, at instant: MonotonicInstant) -> [LocateAnswer] {
    hopeless = error.flatMap { $0.isTransient ? nil : $0 }
    guard let hopeless else { return [] }
    return take(at: instant) { _ in .failed(hopeless) }
  }

  /// Answers the questions whose time is over.
  package mutating func expire(at instant: MonotonicInstant) -> [LocateAnswer] {
    take(at: instant) { instant >= $0.deadline ? .timedOut : nil }
  }

  /// Drops the questions of a client that is gone.
  package mutating func sessionClosed(_ session: SessionID) {
    waiting.removeAll { $0.request.session == session }
  }

  private mutating func take(
    at instant: MonotonicInstant, _ outcome: (Waiting) -> LocateAnswer.Outcome?
  ) -> [LocateAnswer] {
    guard !waiting.isEmpty else { return [] }
    var answers: [LocateAnswer] = []
    var left: [Waiting] = []
    for question in waiting {
      if let outcome = outcome(question) {
        answers.append(answer(question.request, outcome, at: instant))
      } else {
        left.append(question)
      }
    }
    waiting = left
    return answers
  }

  private func answer(
    _ request: LocateRequest, _ outcome: LocateAnswer.Outcome, at instant: MonotonicInstant
  ) -> LocateAnswer {
    LocateAnswer(
      id: request.id, session: request.session, outcome: outcome, lastKnown: newest,
      age: newest.map { instant - $0.fix.received })
  }
}

/// One question for one fix.
package struct LocateRequest: Hashable, Sendable {
  /// The asker's own name of the question; the answer carries it.
  package var id: UInt64
  /// Who asks.
  package var session: SessionID
  /// How long to wait for a fix.
  package var timeout: Duration
  /// How old the newest fix may be to serve as the answer.
  package var maxAge: Duration

  /// A checked question.
  package init(
    id: UInt64, session: SessionID, timeout: Duration = .seconds(10), maxAge: Duration = .seconds(2)
  ) throws(LocateError) {
    guard timeout >= .zero, timeout <= .seconds(3600) else { throw .timeout(timeout) }
    guard maxAge >= .zero else { throw .maxAge(maxAge) }
    self.id = id
    self.session = session
    self.timeout = timeout
    self.maxAge = maxAge
  }
}

/// The one answer to a `LocateRequest`.
package struct LocateAnswer: Hashable, Sendable {
  /// What came out.
  package enum Outcome: Hashable, Sendable {
    /// A fix that is fresh enough.
    case fix(PublishedFix)
    /// No fix in time.
    case timedOut
    /// No source can ever give one.
    case failed(SourceError)
  }

  package var id: UInt64
  package var session: SessionID
  package var outcome: Outcome
  /// The newest fix there ever was, and its age; in `fix` that fix itself.
  package var lastKnown: PublishedFix?
  package var age: Duration?
}

/// Why a question is not taken.
package enum LocateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Negative, or more than an hour.
  case timeout(Duration)
  /// Negative.
  case maxAge(Duration)
  /// As many questions wait as may, in all.
  case tooMany(limit: Int)
  /// As many questions of this client wait as may.
  case tooManyOfSession(limit: Int)

  package var description: String {
    switch self {
    case .timeout(let timeout): "a timeout of \(timeout.inSeconds) s is not possible: give 0 to 3600 seconds"
    case .maxAge(let age): "a maximum age of \(age.inSeconds) s is not possible: give 0 seconds or more"
    case .tooManyOfSession(let limit): "\(limit) requests of this connection wait already: await an answer first"
    case .tooMany(let limit): "\(limit) requests wait already: try again when one is answered"
    }
  }
}
