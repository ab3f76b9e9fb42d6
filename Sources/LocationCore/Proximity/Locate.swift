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
