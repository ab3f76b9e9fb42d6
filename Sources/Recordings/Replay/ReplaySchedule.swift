import LocationCore

/// A replay: the items of one or several files, in order and each with its time, once or for ever.
///
/// At the end of a looped replay the next pass begins after the next whole second, and everything measured in
/// it is shifted by a whole number of seconds (``ReplayItem/timeShift``): by as much as the replay took, or by what
/// the measured times span if that is more, so that none of them lies before one of the pass before. Seeking back
/// shifts in the same way. When to hand out an item is for whoever plays it to say.
package struct ReplaySchedule: ~Copyable, Sendable {
  private var timeline: RecordingTimeline
  private let isLooped: Bool
  /// Whether measured times may have to be shifted.
  private let observes: Bool
  private var pass = 0
  /// The offset of this pass's position 0.
  private var base: Duration = .zero
  private var shift: Duration = .zero
  private var span = MeasuredSpan()
  /// The latest measured time that was handed out, shifted.
  private var handedOut: UTCInstant?
  /// The earliest measured time of the recording, as far as it was read.
  private var earliest: UTCInstant?
  private var position: Duration = .zero
  private var offset: Duration = .zero
  private var passIsEmpty = true
  private var sought: RecordedTime.Item?

  /// Opens the files. A replay at `max` that does not loop cannot be sought back with shifted times: nobody
  /// could aim, and it saves looking into every sentence.
  package init(files: [String], speed: ReplaySpeed, loop: Bool) throws(RecordingError) {
    timeline = try RecordingTimeline(files: files)
    isLooped = loop
    observes = loop || speed != .max
  }

  /// What was skipped so far, over all passes.
  package var damage: RecordingDamageCounts { timeline.damage }

  /// The next item; `nil` when the replay is over.
  package mutating func next() throws(RecordingError) -> ReplayItem? {
    var next = sought
    sought = nil
    if next == nil { next = try timeline.next() }
    if next == nil, isLooped, !passIsEmpty {
      try beginPass()
      next = try timeline.next()
    }
    guard let item = next else { return nil }
    passIsEmpty = false
    position = item.position
    offset = max(offset, base + item.position)
    if observes, case .burst(let burst) = item.content {
      observe(burst)
      if let last = span.last { handedOut = max(handedOut ?? last + shift, last + shift) }
    }
    return ReplayItem(offset: offset, position: item.position, pass: pass, timeShift: shift, content: item.content)
  }

  /// Goes on at another position, at an offset that the replay's clock has reached. What lies between is
  /// not handed out. Behind the end the replay is over, or begins again if it is looped.
  package mutating func seek(to target: Duration, at reached: Duration) throws(RecordingError) {
    let isBackwards = target <= position
    if isBackwards {
      try timeline.rewind()
      span.restart()
    }
    sought = nil
    while let item = try timeline.next() {
      position = item.position
      passIsEmpty = false
      if item.position >= target {
        sought = item
        break
      }
      if observes, case .burst(let burst) = item.content { observe(burst) }
    }
    base = max(reached, offset) - (sought == nil ? position : target)
    if isBackwards { shiftBack() }
  }

  private mutating func beginPass() throws(RecordingError) {
    let length = Self.wholeSeconds(above: position + .milliseconds(100))
    var measured = Duration.zero
    if let earliest = span.earliest, let latest = span.latest { measured = Self.wholeSeconds(above: latest - earliest) }
    try timeline.rewind()
    pass += 1
    base += length
    shift += max(length, measured)
    span.restart()
    passIsEmpty = true
  }

  private mutating func observe(_ burst: RecordedBurst) {
    span.observe(burst.bytes)
    if let first = span.earliest { earliest = min(earliest ?? first, first) }
  }

  /// Shifts measured times by so much more that those to come lie behind those handed out.
  private mutating func shiftBack() {
    guard let handedOut, let next = span.last ?? earliest else { return }
    let missing = handedOut - (next + shift)
    if missing >= .zero { shift += Self.wholeSeconds(above: missing) }
  }

  /// The smallest whole number of seconds that is more.
  private static func wholeSeconds(above duration: Duration) -> Duration {
    .seconds(duration.components.seconds + 1)
  }
}
