/// Where the rider is on a course; the raw values are the protocol's `state`.
package enum CourseState: String, Hashable, Sendable, CaseIterable {
  /// Not on it yet.
  case before
  case on
  case off
  case finished
  /// Another one is followed.
  case kept
  /// It was ended: its last report.
  case ended
}

/// A course at one fix: one line of the protocol.
package struct CourseStatus: Hashable, Sendable {
  package var name: String
  package var state: CourseState
  /// UTC of the fix, if known, and its number.
  package var time: UTCInstant?
  package var seq: UInt64?
  /// Metres from the start of the line: where the rider is, or left it; `nil` before.
  package var along: Double?
  /// Metres to the end of the line, or to its start when it is ridden backwards.
  package var remaining: Double
  /// Metres to the right of the line as it is ridden, negative to its left; `nil` unless `on`.
  package var beside: Double?
  /// Back to the nearest place of the line, or before to its start: degrees from true north, and metres.
  package var bearing: Double?
  package var distance: Double?
  /// Time to the end at the recent speed of moving; `nil` unless `on`, and during a long stop.
  package var eta: Duration?
  /// Metres to climb to the end; `nil` without elevations.
  package var ascent: Double?
  /// Percent; `nil` without elevations.
  package var grade: Double?
  /// Metres to the end of the climb at hand, and metres to climb on it.
  package var climb: Double?
  package var climbAscent: Double?
  /// The next cue, and metres to it; `nil` backwards, because cues are for one direction.
  package var cue: CourseCue?
  package var cueDistance: Double?
  package var isReverse = false
  /// Curvature of the line ahead of the rider; see ``PublishedFix/bend``.
  package var bend: Double?
  /// Number of the line with its cues: another one after each change to them. `nil` outside a table.
  package var revision: Int?
  package var isTransition = false

  package init(name: String, state: CourseState, seq: UInt64? = nil, remaining: Double) {
    (self.name, self.state, self.seq, self.remaining) = (name, state, seq, remaining)
  }
}
