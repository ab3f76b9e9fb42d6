package enum EngineEvent: Sendable {
  case fix(PublishedFix, sky: Sky?, noise: PseudorangeNoise?)
  /// The newest fix again: since then the wheel has shown that the rider stopped or started.
  case changed(PublishedFix)
  /// An estimate of the position while the leading source has no fix: no fix, and without a number of its own.
  case estimate(PublishedFix)
  /// Satellites of an epoch of the leading source without a fix.
  case sky(Sky, source: SourceID)
  /// An epoch of the leading source without a usable position; UTC of the epoch, if known.
  case noFix(time: UTCInstant?, source: SourceID)
  /// UTC for the system's clock, from an epoch of the leading source; only after `setClock(true)`.
  case clock(ClockSample)
  /// Sentences of the leading source, or made from its fix, each with CR LF; only if `EngineEvents.collectsSentences`.
  case sentences([UInt8])
  case state(SourceState, source: SourceID)
  /// The leading source entered another state, or another source took the lead.
  case lead(LeadStatus)
  /// The leading source has no fix: it was lost, or the source failed or stopped, perhaps before its first; UTC, if
  /// known. A `lead` with the new state comes with it, which most clients read instead; the log states the `state`.
  case fixLost(source: SourceID, time: UTCInstant?)
  /// What the receiver of a source states about jamming, spoofing or its antenna has changed.
  case interference(Interference, source: SourceID)
  /// For the log, with the facts of its line.
  case oddity(Oddity, facts: [String: String] = [:], source: SourceID)
  case unplugged(source: SourceID)
  /// A source that was lost or failed is open again.
  case reopened(source: SourceID)
  case told(ClientEvent, to: ClientEvent.Recipients)
  /// Send this fix to every renderer, regardless of its distance filter.
  case sendNewest(PublishedFix)
  case located(LocateAnswer)
  /// A client's request was carried out that a replay repeats.
  case accepted(EngineRequest)
}

/// What the receiver of a source does that is logged once; but a datum each time that it changes.
package enum Oddity: String, Sendable {
  case datum = "the receiver's positions are on another datum than WGS 84, and published as they are"
  case overflow =
    "the line does not take all that the receiver sends; a higher speed is set by receiver = { speed = 115200 }"
  /// Behind a fix.
  case restart = "the receiver has restarted; further starts are only counted"
  /// Once for each reason, after a restart: it is asked when it is set up again.
  case reset = "the receiver states why it has restarted"
  /// A wrong length or a value out of range.
  case malformed = "malformed UBX message; further ones are only counted"
  case rollover = "the receiver's date is in the past; if that is 1024 weeks, add rollover=snap to the source"
}

package struct LeadStatus: Hashable, Sendable {
  package var source: SourceID
  package var state: SourceState
  /// Why the source leads, if it has just taken the lead.
  package var reason: LeadReason?
  package var since: MonotonicInstant
  /// UTC, extrapolated from the newest fix; `nil` before a dated fix.
  package var time: UTCInstant?
  package var seq: UInt64?
  package var interference = Interference()
  /// Why there is no fix; `nil` with one, and until it is known.
  package var absence: FixAbsence?
  package var isEstimating = false
}

/// Events in the order of decision, each with its instant. Reuse one instance: it keeps its storage.
package struct EngineEvents: Sendable {
  package var collectsSentences = false
  /// That of the input, the request or the deadline which is being processed.
  var instant = MonotonicInstant.zero
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

  mutating func appendSentences(_ write: (inout [UInt8]) -> Void) {
    var sentences: [UInt8] = []
    sentences.reserveCapacity(2048)
    write(&sentences)
    append(.sentences(sentences))
  }

  mutating func append(_ event: EngineEvent) { list.append(Entry(event: event, instant: instant)) }
}
