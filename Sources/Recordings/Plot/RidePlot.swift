import LocationCore

/// Gathers what the picture of a ride shows, moment by moment, in bounded memory whatever the ride's length.
///
/// *Raw* are the fixes before, *delivered* those behind a distance filter of 10 m, as a map gets them. A stop is what
/// the daemon announces as one: under 0.5 m/s for 2 s.
package struct RidePlot: Sendable {
  /// A view's change between following and free.
  struct FollowMark: Hashable, Sendable {
    var place: Coordinate
    var seconds: Double
    var isFollowing: Bool
  }

  private static let followRoom = 200

  private(set) var bounds = TrackBounds()
  private(set) var raw = PlotCloud()
  private(set) var path = PlotPath()
  private(set) var delivered = PlotCloud()
  private(set) var speed = PlotSeries()
  private(set) var accuracy = PlotSeries()
  private(set) var losses = PlotMarks()
  private(set) var stops = PlotMarks()
  private(set) var follows: [FollowMark] = []
  private(set) var followCount = 0
  /// The first and the last fix.
  package private(set) var first: Fix?
  package private(set) var last: Fix?
  /// How many fixes there were, and how many passed the filter.
  package private(set) var fixCount = 0
  package private(set) var deliveredCount = 0

  private var clock = PlotClock()
  private var changes = ChangeDetector()
  private var filter = DistanceFilter(.standard)
  private var stop: PlotMark?
  /// When the newest fix was, on the time axis.
  private(set) var end = 0.0
  private var isLost = false
  private var deliversApart = true

  /// Of nothing yet.
  package init() {}

  /// Takes what happened next.
  package mutating func take(_ moment: borrowing RideMoment) {
    switch copy moment {
    case .fix(let ridden): take(ridden)
    case .lost, .interrupted:
      if last != nil { isLost = true }
      changes.lost()
    case .source: changes.sourceChanged()
    case .event: break
    }
  }

  /// Marks that a view changed its state.
  package mutating func take(_ follow: FollowState, at instant: MonotonicInstant) {
    guard let last else { return }
    followCount += 1
    guard follows.count < Self.followRoom else { return }
    follows.append(
      FollowMark(place: last.position, seconds: clock.seconds(at: instant), isFollowing: follow.following))
  }

  /// Ends what is open: nothing more will come.
  package mutating func finish() {
    endStop(at: end)
    if isLost, let last { losses.append(PlotMark(begin: end, end: end, place: last.position)) }
    isLost = false
  }

  private mutating func take(_ ridden: RiddenFix) {
    let fix = ridden.fix
    let seconds = clock.seconds(of: fix)
    var changed = changes.changes(with: fix, at: fix.received)
    if ridden.isSuspect { changed.insert(.suspect) }
    if ridden.beginsSegment, let last {
      endStop(at: end)
      if isLost {
        losses.append(PlotMark(begin: end, end: seconds, place: last.position, otherPlace: fix.position))
      }
      isLost = false
    }
    deliversApart = deliversApart || ridden.beginsSegment
    fixCount += 1
    first = first ?? fix
    bounds.take(fix.position)
    raw.append(fix.position)
    takeStop(changed, fix, seconds)
    if let value = fix.speed { speed.take(value, at: seconds, isApart: ridden.beginsSegment) }
    if let value = fix.horizontalAccuracy { accuracy.take(value, at: seconds, isApart: ridden.beginsSegment) }
    let published = PublishedFix(fix: fix, seq: ridden.seq, source: ridden.source, changes: changed)
    if filter.evaluate(published, at: fix.received) != nil {
      deliveredCount += 1
      path.append(fix.position, begins: deliversApart)
      delivered.append(fix.position)
      deliversApart = false
    }
    last = fix
    end = seconds
  }

  private mutating func takeStop(_ changed: FixChanges, _ fix: Fix, _ seconds: Double) {
    if changed.contains(.stopped) {
      endStop(at: seconds)
      // It is announced 2 s after it began.
      stop = PlotMark(begin: max(0, seconds - 2), end: seconds, place: fix.position)
    } else if changed.contains(.started) {
      endStop(at: max(0, seconds - 1))
    }
  }

  private mutating func endStop(at seconds: Double) {
    guard var ended = stop else { return }
    ended.end = max(seconds, ended.begin)
    stops.append(ended)
    stop = nil
  }
}
