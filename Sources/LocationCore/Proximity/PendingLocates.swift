/// Pending locate requests. Each request gets exactly one answer.
package struct PendingLocates: Sendable {
  private struct Waiting {
    var request: LocateRequest
    var deadline: MonotonicInstant
  }

  /// Maximum number of pending requests per client. There is no other limit, so that no client blocks another.
  package let limitPerClient: Int
  package private(set) var newest: PublishedFix?
  /// When `expire(at:)` is due; `nil` = only after the next request.
  package private(set) var deadline: MonotonicInstant?
  private var waiting: [Waiting] = [] { didSet { deadline = waiting.lazy.map(\.deadline).min() } }
  private var permanentError: SourceError?

  package init(limitPerClient: Int = 8) { self.limitPerClient = limitPerClient }

  package var pending: Int { waiting.count }

  /// Adds a request. Returns the answer if it is available immediately.
  package mutating func request(
    _ request: LocateRequest, at instant: MonotonicInstant
  ) throws(LocateError) -> LocateAnswer? {
    if let newest, instant - newest.fix.received <= request.maxAge {
      return answer(request, .fix(newest), at: instant)
    }
    if let permanentError { return answer(request, .failed(permanentError), at: instant) }
    guard request.timeout > .zero else { return answer(request, .timedOut, at: instant) }
    guard waiting.count(where: { $0.request.client == request.client }) < limitPerClient else {
      throw .tooManyOfClient(limit: limitPerClient)
    }
    waiting.append(Waiting(request: request, deadline: instant + request.timeout))
    return nil
  }

  /// Registers a published fix and answers the pending requests, except those for which it is too old.
  package mutating func published(_ fix: PublishedFix, at instant: MonotonicInstant) -> [LocateAnswer] {
    newest = fix
    return take(at: instant) { waiting in
      let asked = waiting.deadline - waiting.request.timeout
      return fix.fix.received >= asked - waiting.request.maxAge ? .fix(fix) : nil
    }
  }

  /// Sets or clears the error that rules out any fix. Only `denied`, `disabled`, `misconfigured` answer the requests.
  package mutating func setPermanentError(_ error: SourceError?, at instant: MonotonicInstant) -> [LocateAnswer] {
    permanentError = error.flatMap { $0.isTransient ? nil : $0 }
    guard let permanentError else { return [] }
    return take(at: instant) { _ in .failed(permanentError) }
  }

  package mutating func expire(at instant: MonotonicInstant) -> [LocateAnswer] {
    take(at: instant) { instant >= $0.deadline ? .timedOut : nil }
  }

  package mutating func clientDisconnected(_ client: ClientID) { waiting.removeAll { $0.request.client == client } }

  private mutating func take(
    at instant: MonotonicInstant, _ outcome: (Waiting) -> LocateAnswer.Outcome?
  ) -> [LocateAnswer] {
    guard !waiting.isEmpty else { return [] }
    var answers: [LocateAnswer] = []
    var left: [Waiting] = []
    for entry in waiting {
      if let outcome = outcome(entry) {
        answers.append(answer(entry.request, outcome, at: instant))
      } else {
        left.append(entry)
      }
    }
    waiting = left
    return answers
  }

  private func answer(
    _ request: LocateRequest, _ outcome: LocateAnswer.Outcome, at instant: MonotonicInstant
  ) -> LocateAnswer {
    LocateAnswer(
      id: request.id, client: request.client, outcome: outcome, age: newest.map { instant - $0.fix.received })
  }
}

package struct LocateRequest: Hashable, Sendable {
  /// The client's identifier of the request, repeated in the answer.
  package var id: UInt64
  package var client: ClientID
  package var timeout: Duration
  /// Largest age of a fix that answers the request.
  package var maxAge: Duration

  package init(
    id: UInt64, client: ClientID, timeout: Duration = .seconds(10), maxAge: Duration = .seconds(2)
  ) throws(LocateError) {
    guard timeout >= .zero, timeout <= .seconds(3600) else { throw .timeout(timeout) }
    guard maxAge >= .zero else { throw .maxAge(maxAge) }
    self.id = id
    self.client = client
    self.timeout = timeout
    self.maxAge = maxAge
  }
}

package struct LocateAnswer: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    case fix(PublishedFix)
    case timedOut
    case failed(SourceError)
  }

  package var id: UInt64
  package var client: ClientID
  package var outcome: Outcome
  /// Age of the newest published fix.
  package var age: Duration?
}

package enum LocateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The timeout is negative or longer than an hour.
  case timeout(Duration)
  case maxAge(Duration)
  case tooManyOfClient(limit: Int)

  package var description: String {
    switch self {
    case .timeout(let timeout): "timeout of \(timeout.inSeconds) s is invalid: use 0 to 3600 s"
    case .maxAge(let age): "maximum age of \(age.inSeconds) s is invalid: use 0 s or more"
    case .tooManyOfClient(let limit):
      "the limit of \(limit) pending requests for this connection is reached: wait for an answer"
    }
  }
}
