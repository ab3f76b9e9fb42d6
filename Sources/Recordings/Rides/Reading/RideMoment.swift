import LocationCore

/// One thing that happened on a ride. All instants are on the ride's own clock, see ``RiddenFix``.
package enum RideMoment: Hashable, Sendable {
  /// A fix of the leading source.
  case fix(RiddenFix)
  /// The leading source has no fix any more.
  case lost(at: MonotonicInstant)
  /// Another source leads.
  case source(Int, LeadReason, at: MonotonicInstant)
  /// A recorded event of a client: `VIEW`, `FOLLOW`, `TARGET`.
  case event(RecordedEvent, at: MonotonicInstant)
  /// The recorder was started anew here: switched off in between, or a power cut.
  case interrupted(at: MonotonicInstant)
}
