/// A decision of the engine.
package enum EngineEvent: Sendable {
  /// A fix of the leading source, with its epoch's satellites and error estimates.
  case fix(PublishedFix, sky: Sky?, noise: PseudorangeNoise?)
  /// Satellites of an epoch of the leading source without a fix.
  case sky(Sky, source: SourceID)
  /// An epoch of the leading source without a usable position; UTC of the epoch, if known.
  case noFix(time: UTCInstant?, source: SourceID)
  /// UTC for the system's clock, from an epoch of the leading source; only after `setClock(true)`.
  case clock(ClockSample)
  /// Sentences of the leading source, or made from its fix if it sends none, each with CR LF; only if
  /// `EngineEvents.collectsSentences`.
  case sentences([UInt8])
  case state(SourceState, source: SourceID)
  /// The leading source entered another state, or another source took the lead.
  case lead(LeadStatus)
  /// The leading source has no fix: it was lost, or the source failed or stopped, perhaps before its first; UTC, if
  /// known. A `lead` with the new state comes with it, which most clients read instead; the log states the `state`.
  case fixLost(source: SourceID, time: UTCInstant?)
  /// What the receiver of a source states about jamming and spoofing has changed.
  case interference(Interference, source: SourceID)
  /// The receiver of a source has sent its first UBX message with a wrong length or a value out of range.
  case malformed(UBXType, source: SourceID)
  /// The receiver of a source has sent its first date that a week rollover may have moved.
  case rollover(CalendarDate, source: SourceID)
  case unplugged(source: SourceID)
  /// A source that was lost or failed is open again.
  case reopened(source: SourceID)
  // What a request changed goes to the subscribers and to the client that caused it.
  case follow(FollowState, causedBy: ClientID?)
  /// Send this fix to every renderer, regardless of its distance filter.
  case sendNewest(PublishedFix)
  /// A target was set, or its state changed.
  case arrival(Arrival, causedBy: ClientID?)
  /// A target was removed: by request, with its client's connection, or to make room for another client's.
  case targetRemoved(Target, causedBy: ClientID?)
  /// A trip at a change, by itself or by request, and once a second in motion.
  case trip(TripStatus, isTransition: Bool, causedBy: ClientID?)
  /// The followed course at a fix, or a course that a request changed.
  case course(CourseStatus, causedBy: ClientID?)
  case located(LocateAnswer)
  /// The state that a request found and did not change, for its client alone.
  indirect case answer(EngineEvent, to: ClientID)
  /// A client's request was carried out that a replay repeats.
  case accepted(EngineRequest)

  /// Who is told of an event that a request may cause.
  package enum Recipients: Hashable, Sendable {
    /// The subscribers, and the client that caused it.
    case subscribers(and: ClientID?)
    /// The subscribers that keep up: figures in motion, which others follow.
    case subscribersInTime
    /// The subscribers that read courses, and the client that caused it.
    case courseReaders(and: ClientID?)
    case client(ClientID)
  }

  /// `nil` for an event that no request causes.
  package var recipients: Recipients? {
    switch self {
    case .follow(_, let client), .arrival(_, let client), .targetRemoved(_, let client),
      .trip(_, isTransition: true, let client):
      .subscribers(and: client)
    case .trip: .subscribersInTime
    case .course(_, let client): .courseReaders(and: client)
    case .answer(_, let client): .client(client)
    case .located(let answer): .client(answer.client)
    case .fix, .sky, .noFix, .clock, .sentences, .state, .lead, .fixLost, .interference, .malformed, .rollover,
      .unplugged, .reopened, .sendNewest, .accepted:
      nil
    }
  }
}

/// The leading source at one instant.
package struct LeadStatus: Hashable, Sendable {
  package var source: SourceID
  package var state: SourceState
  /// Why the source leads, if it has just taken the lead.
  package var reason: LeadReason?
  /// The instant at which it entered its state.
  package var since: MonotonicInstant
  /// UTC, extrapolated from the newest fix; `nil` before a dated fix.
  package var time: UTCInstant?
  package var seq: UInt64?
  package var interference = Interference()
}

/// Events in the order of decision, each with its instant. Reuse one instance: it keeps its storage.
package struct EngineEvents: Sendable {
  /// Whether to collect the sentences of the leading source.
  package var collectsSentences = false
  package private(set) var list: [Entry] = []

  package struct Entry: Sendable {
    package let event: EngineEvent
    package let instant: MonotonicInstant
  }

  package init() {}

  package var isEmpty: Bool { list.isEmpty }

  package mutating func removeAll() { list.removeAll(keepingCapacity: true) }

  /// Passes every event on, in order, and removes it. Events are moved, not copied.
  package mutating func drain(_ body: (Entry) -> Void) {
    list.reverse()
    while let entry = list.popLast() { body(entry) }
  }

  mutating func appendSentences(at instant: MonotonicInstant, _ write: (inout [UInt8]) -> Void) {
    var sentences: [UInt8] = []
    sentences.reserveCapacity(2048)
    write(&sentences)
    append(.sentences(sentences), at: instant)
  }

  mutating func append(_ event: EngineEvent, at instant: MonotonicInstant) {
    list.append(Entry(event: event, instant: instant))
  }
}
