import LocationCore
import Recordings

/// Gathers what the picture of a ride shows, moment by moment, in bounded memory whatever the ride's length.
///
/// *Raw* are the fixes before, *delivered* those behind a distance filter of 10 m, as a map gets them. Stops are those
/// of the ride's moving time (``RideAccumulator``).
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
  private var ride = RideAccumulator()
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
    case .lost: lose()
    case .interrupted:
      lose()
      ride.interrupt()
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

  /// The ride's figures.
  package var figures: RideFigures { ride.figures }

  private mutating func lose() {
    if last != nil { isLost = true }
    changes.lost()
  }

  /// Ends what is open: nothing more will come.
  package mutating func finish() {
    endStop()
    if isLost, let last { losses.append(PlotMark(begin: end, end: end, place: last.position)) }
    isLost = false
  }

  private mutating func take(_ ridden: RiddenFix) {
    let fix = ridden.fix
    let seconds = clock.seconds(of: fix)
    var changed = changes.changes(with: fix, at: fix.received)
    if ridden.isSuspect { changed.insert(.suspect) }
    if ridden.beginsSegment, let last {
      endStop()
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
    takeStop(ridden, seconds)
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

  private mutating func takeStop(_ ridden: RiddenFix, _ seconds: Double) {
    ride.add(ridden.fix, isSuspect: ridden.isSuspect)
    let standing = ride.standing
    guard standing > 0 else { return endStop() }
    if stop == nil {
      let begin = max(0, seconds - standing)
      stop = PlotMark(begin: begin, end: begin, place: ridden.fix.position)
    }
    // From where it starts on it is not yet sure that it does.
    if ridden.fix.speed ?? 0 < RideAccumulator.startSpeed { stop?.end = seconds }
  }

  private mutating func endStop() {
    if let stop, stop.duration >= RideAccumulator.patience { stops.append(stop) }
    stop = nil
  }
}

/// Something to be pointed at in the picture of a ride.
package struct PlotMark: Hashable, Sendable {
  /// When it began, seconds on the picture's time axis.
  package var begin: Double
  /// When it was over.
  package var end: Double
  /// Where.
  package var place: Coordinate
  /// Where it was over: of a loss.
  package var otherPlace: Coordinate?

  /// How long it was, seconds.
  package var duration: Double { end - begin }
}

/// The longest marks of a kind, as many as a picture has room for.
struct PlotMarks: Sendable {
  /// The most marks.
  static let room = 200

  private(set) var marks: [PlotMark] = []
  /// How many there were.
  private(set) var count = 0

  mutating func append(_ mark: PlotMark) {
    count += 1
    marks.append(mark)
    guard marks.count > Self.room else { return }
    if let shortest = marks.indices.min(by: { marks[$0].duration < marks[$1].duration }) { marks.remove(at: shortest) }
  }
}

/// Where on a picture's time axis a moment of a ride lies: seconds since its first fix, by the receiver's UTC as far as
/// that is known, so that a ride whose recorder was off for a while shows how long. Never steps back.
struct PlotClock: Sendable {
  /// A step that no ride makes: the receiver was wrong about the date before or after.
  private static let longestStep = Duration.seconds(7 * 86_400)

  private var now: Duration = .zero
  private var received: MonotonicInstant?
  /// The UTC of the axis' beginning.
  private(set) var origin: UTCInstant?

  /// The place of a fix.
  mutating func seconds(of fix: borrowing Fix) -> Double {
    advance(to: fix.received)
    if let measured = fix.measured {
      let place = origin.map { measured - $0 }
      if let place, place >= now, place - now <= Self.longestStep {
        now = place
      } else if place.map({ now - $0 > .seconds(5) || $0 - now > Self.longestStep }) ?? true {
        origin = UTCInstant(nanosecondsSince1970: measured.nanosecondsSince1970 &- now.nanoseconds)
      }
    }
    return now.inSeconds
  }

  /// The place of something else, on the ride's own clock.
  mutating func seconds(at instant: MonotonicInstant) -> Double {
    advance(to: instant)
    return now.inSeconds
  }

  private mutating func advance(to instant: MonotonicInstant) {
    if let received, instant > received { now += instant - received }
    received = received.map { max($0, instant) } ?? instant
  }
}
