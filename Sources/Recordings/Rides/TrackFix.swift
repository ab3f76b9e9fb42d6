import LocationCore

/// A published fix of a ride, before any distance filter, as a live subscriber with filter 0 received it.
/// `fix.received` is on the ride's own clock: it begins at 0 with the first byte and continues over the ride's files;
/// `fix.measured` is UTC by the receiver, `nil` while that sent no date.
package struct TrackFix: Hashable, Sendable {
  package var fix: Fix
  package var sensed = SensedValues()
  package var changes: FixChanges = []
  /// When it was published: the end of an epoch may be known only by the beginning of the next.
  package var published: MonotonicInstant
  /// Its source: the place in the header's `device` lines.
  package var source: SourceID
  /// Number of the fix since the recorder started, from 1; the `seq` of a recorded `VIEW` refers to it.
  package var seq: UInt64
  /// Ascending in a ride: the recorder's first file times ``numbersPerFile``, plus `seq`; a power cut leaves gaps.
  package var number: UInt64
  /// Whether the way to it is unknown: it is the first, or follows a loss, a change of the source or an interruption.
  package var beginsSegment: Bool

  /// More fixes than the sentences of a file of ``RotationPolicy/maximumSize`` can hold.
  static let numbersPerFile: UInt64 = 1_000_000

  package var isSuspect: Bool { changes.contains(.suspect) }
}

/// One event of a ride. Instants are on the ride's own clock, see ``TrackFix``.
package enum RideMoment: Hashable, Sendable {
  case fix(TrackFix)
  case lost(at: MonotonicInstant)
  case source(SourceID, LeadReason, at: MonotonicInstant)
  case follow(FollowState, at: MonotonicInstant)
  /// The rider began a lap, or came to the place where laps begin.
  case lap(LapTrigger, at: MonotonicInstant)
  /// The recorder restarted here: it was stopped in between, or lost power.
  case interrupted(at: MonotonicInstant)
}

package enum LapTrigger: Hashable, Sendable { case request, place }

extension RideAccumulator {
  package mutating func add(_ moment: RideMoment) {
    switch moment {
    case .fix(let fix): add(fix.fix, fix.sensed, isSuspect: fix.isSuspect)
    case .interrupted: interrupt()
    case .lost, .source, .follow, .lap: break
    }
  }
}
