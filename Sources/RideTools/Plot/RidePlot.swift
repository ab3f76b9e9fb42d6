import LocationCore
import Recordings

/// The contents of a ride's picture, gathered moment by moment in bounded memory: every recorded position, and the line
/// through those that a map receives after a distance filter of 10 m. Stops are those of ``RideAccumulator``.
package struct RidePlot: Sendable {
  struct FollowMark: Hashable, Sendable {
    var position: Coordinate
    /// On the time axis.
    var seconds: Double
    var isFollowing: Bool
  }

  private static let maximumFollowMarks = 200

  private(set) var bounds = TrackBounds()
  private(set) var cloud = PlotCloud()
  private(set) var path = PlotPath()
  private(set) var filtered = PlotCloud()
  /// The line that was planned; `nil` unless wanted.
  private(set) var course: PlotPath?
  /// The way that poses draw, 10 a second; `nil` unless wanted.
  private(set) var predicted: PredictedWay?
  /// m/s.
  private(set) var speed = PlotSeries()
  /// Above mean sea level, metres.
  private(set) var altitude = PlotSeries()
  /// Horizontal, 95 %, metres.
  private(set) var accuracy = PlotSeries()
  /// What the rider's sensors measured.
  private(set) var sensors = ["Heart rate, 1/min", "Cadence, 1/min", "Power, W"].map {
    (title: $0, series: PlotSeries())
  }
  private(set) var losses = PlotMarks()
  private(set) var stops = PlotMarks()
  private(set) var follows: [FollowMark] = []
  private(set) var followCount = 0
  package private(set) var first: Fix?
  package private(set) var last: Fix?
  package private(set) var fixCount = 0
  package private(set) var filteredCount = 0
  private(set) var end = 0.0
  private var clock = PlotClock()
  private var changes = ChangeDetector()
  private var filter = DistanceFilter(.standard)
  private var ride = RideAccumulator()
  private var stop: PlotMark?
  private var isLost = false
  private var beginsPart = true

  package init(withPoses: Bool = false, course: [Coordinate] = []) {
    if withPoses { predicted = PredictedWay() }
    guard !course.isEmpty else { return }
    var path = PlotPath()
    for place in course {
      bounds.add(place)
      path.append(place, begins: false)
    }
    self.course = path
  }

  package var figures: RideFigures { ride.figures }
  package var hasCourse: Bool { course != nil }

  package mutating func add(_ moment: borrowing RideMoment) {
    switch copy moment {
    case .fix(let fix): add(fix)
    case .lost(let instant): lose(at: instant)
    case .interrupted(let instant):
      lose(at: instant)
      ride.interrupt()
    case .source: changes.sourceChanged()
    case .lap: break
    case .follow(let state, let instant): add(state, at: instant)
    }
  }

  mutating func add(_ follow: FollowState, at instant: MonotonicInstant) {
    guard let last else { return }
    followCount += 1
    guard follows.count < Self.maximumFollowMarks else { return }
    follows.append(
      FollowMark(position: last.position, seconds: clock.seconds(at: instant), isFollowing: follow.following))
  }

  /// Ends the ride: an open stop or loss ends with it.
  package mutating func finish() {
    predicted?.finish()
    endStop()
    if isLost, let last { losses.append(PlotMark(begin: end, end: end, position: last.position)) }
    isLost = false
  }

  private mutating func lose(at instant: MonotonicInstant) {
    predicted?.lose(at: instant)
    if last != nil { isLost = true }
    changes.lost()
  }

  private mutating func add(_ trackFix: TrackFix) {
    let fix = trackFix.fix
    let begins = trackFix.beginsSegment
    let seconds = clock.seconds(of: fix)
    var changed = changes.changes(with: fix, trackFix.sensed, at: fix.received)
    if trackFix.isSuspect { changed.insert(.suspect) }
    if begins, let last {
      endStop()
      if isLost {
        losses.append(PlotMark(begin: end, end: seconds, position: last.position, endPosition: fix.position))
      }
      isLost = false
    }
    beginsPart = beginsPart || begins
    fixCount += 1
    first = first ?? fix
    bounds.add(fix.position)
    cloud.append(fix.position)
    addStop(trackFix, seconds)
    speed.add(fix.speed, at: seconds, beginsRun: begins)
    let height = trackFix.sensed.fused.altitude.map(Double.init) ?? (fix.mode == .threeD ? fix.altitudeMSL : nil)
    altitude.add(height, at: seconds, beginsRun: begins)
    accuracy.add(fix.horizontalAccuracy, at: seconds, beginsRun: begins)
    let rider = trackFix.sensed.rider
    for (index, value) in [rider.heartRate, rider.cadence, rider.power].enumerated() {
      // Without a value the sensor has been silent for seconds.
      sensors[index].series.add(value.map(Double.init), at: seconds, beginsRun: begins || value == nil)
    }
    var published = PublishedFix(fix: fix, seq: trackFix.seq, source: trackFix.source, changes: changed)
    published.sensed = trackFix.sensed
    predicted?.add(published)
    if filter.evaluate(published, at: fix.received) != nil {
      filteredCount += 1
      path.append(fix.position, begins: beginsPart)
      filtered.append(fix.position)
      beginsPart = false
    }
    last = fix
    end = seconds
  }

  private mutating func addStop(_ trackFix: TrackFix, _ seconds: Double) {
    ride.add(trackFix.fix, trackFix.sensed, isSuspect: trackFix.isSuspect)
    let standing = ride.standing
    guard standing > 0 else { return endStop() }
    if stop == nil {
      let begin = max(0, seconds - standing)
      stop = PlotMark(begin: begin, end: begin, position: trackFix.fix.position)
    }
    // A start counts only once it has lasted; until then the stop does not grow.
    if trackFix.fix.speed ?? 0 < Standstill.startedFrom { stop?.end = seconds }
  }

  private mutating func endStop() {
    if let stop, stop.duration >= RideAccumulator.confirmationTime { stops.append(stop) }
    stop = nil
  }
}

/// The way of poses between the fixes of a ride, as a renderer would have drawn it.
struct PredictedWay: Sendable {
  private(set) var path = PlotPath()
  private var motion = MotionEstimator()
  private var grid = PoseGrid(rate: 10, from: .zero)

  mutating func add(_ fix: borrowing PublishedFix) {
    draw(until: fix.fix.received)
    motion.receive(fix, at: fix.fix.received)
  }

  mutating func lose(at instant: MonotonicInstant) {
    draw(until: instant)
    motion.lose(at: instant)
  }

  /// Draws until the position is held.
  mutating func finish() { draw(until: nil) }

  private mutating func draw(until end: MonotonicInstant?) {
    while let due = grid.next(of: motion), end.map({ due < $0 }) ?? true {
      guard let pose = grid.take(from: motion, at: due) else { return }
      path.append(pose.coordinate, begins: pose.isJump)
    }
  }
}

package struct PlotMark: Hashable, Sendable {
  /// Seconds on the time axis.
  package var begin, end: Double
  package var position: Coordinate
  package var endPosition: Coordinate?

  package var duration: Double { end - begin }
}

/// The longest marks of a kind, up to a bound.
struct PlotMarks: Sendable {
  static let room = 200

  private(set) var marks: [PlotMark] = []
  /// Number of marks, those left out included.
  private(set) var count = 0

  mutating func append(_ mark: PlotMark) {
    count += 1
    marks.append(mark)
    guard marks.count > Self.room else { return }
    if let shortest = marks.indices.min(by: { marks[$0].duration < marks[$1].duration }) { marks.remove(at: shortest) }
  }
}

/// The time axis: seconds since the first fix, by UTC if known to show how long the recorder was off. Never steps back.
struct PlotClock: Sendable {
  /// Longest plausible step; beyond it the receiver's date was wrong before or after.
  private static let longestStep = Duration.seconds(7 * 86_400)

  private var now: Duration = .zero
  private var received: MonotonicInstant?
  private(set) var origin: UTCInstant?

  mutating func seconds(of fix: borrowing Fix) -> Double {
    advance(to: fix.received)
    if let measured = fix.measured {
      let time = origin.map { measured - $0 }
      if let time, time >= now, time - now <= Self.longestStep {
        now = time
      } else if time.map({ now - $0 > .seconds(5) || $0 - now > Self.longestStep }) ?? true {
        origin = UTCInstant(nanosecondsSince1970: measured.nanosecondsSince1970 &- now.nanoseconds)
      }
    }
    return now.inSeconds
  }

  mutating func seconds(at instant: MonotonicInstant) -> Double {
    advance(to: instant)
    return now.inSeconds
  }

  private mutating func advance(to instant: MonotonicInstant) {
    if let received, instant > received { now += instant - received }
    received = received.map { max($0, instant) } ?? instant
  }
}
