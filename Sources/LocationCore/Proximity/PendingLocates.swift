/// Each request gets exactly one answer. Limited per connection only, so that no client blocks another.
package struct PendingLocates: Sendable {
  private typealias Waiting = (locate: Locate, deadline: MonotonicInstant)

  /// When `expire(at:)` is due; `nil` = only after the next request.
  package private(set) var deadline: MonotonicInstant?
  private var waiting: [Waiting] = [] { didSet { deadline = waiting.lazy.map(\.deadline).min() } }
  private var permanentError: SourceError?

  /// Adds a request. Returns the answer if it is available immediately; `newest` is the newest published fix.
  package mutating func add(
    _ locate: Locate, newest: PublishedFix?, at instant: MonotonicInstant
  ) throws(RequestRefusal) -> LocateAnswer? {
    if let newest, instant - newest.fix.received <= locate.maxAge { return locate.answer(.fix(newest)) }
    if let permanentError { return locate.answer(.failed(permanentError)) }
    guard locate.timeout > .zero else { return locate.answer(.timedOut) }
    try Quota.locates.admit(after: waiting.count { $0.locate.client == locate.client })
    waiting.append((locate, instant + locate.timeout))
    return nil
  }

  /// Registers a published fix and answers the pending requests, except those for which it is too old.
  package mutating func published(_ fix: PublishedFix) -> [LocateAnswer] {
    answers { waiting in
      let asked = waiting.deadline - waiting.locate.timeout
      return fix.fix.received >= asked - waiting.locate.maxAge ? .fix(fix) : nil
    }
  }

  /// Sets or clears the error that rules out any fix. Only `denied`, `disabled`, `misconfigured` answer the requests.
  package mutating func setPermanentError(_ error: SourceError?) -> [LocateAnswer] {
    permanentError = error.flatMap { $0.isTransient ? nil : $0 }
    guard let permanentError else { return [] }
    return answers { _ in .failed(permanentError) }
  }

  package mutating func expire(at instant: MonotonicInstant) -> [LocateAnswer] {
    answers { instant >= $0.deadline ? .timedOut : nil }
  }

  package mutating func clientDisconnected(_ client: ClientID) { waiting.removeAll { $0.locate.client == client } }

  private mutating func answers(_ outcome: (Waiting) -> LocateAnswer.Outcome?) -> [LocateAnswer] {
    let answers = waiting.compactMap { entry in outcome(entry).map { entry.locate.answer($0) } }
    if !answers.isEmpty { waiting.removeAll { outcome($0) != nil } }
    return answers
  }
}

package struct Locate: Hashable, Sendable {
  package var client: ClientID
  package var timeout: Duration
  package var maxAge: Duration

  fileprivate func answer(_ outcome: LocateAnswer.Outcome) -> LocateAnswer {
    LocateAnswer(client: client, outcome: outcome)
  }
}

package struct LocateAnswer: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    case fix(PublishedFix)
    case timedOut
    case failed(SourceError)
  }

  package var client: ClientID
  package var outcome: Outcome
}
