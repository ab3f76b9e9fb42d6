import GPSDProtocol
import LocationCore

/// A replay: the items of one or several files in order, each with its time, once or in a loop.
///
/// In a loop the next pass begins after the next whole second, and its measured times are shifted by whole seconds
/// (``ReplayItem/timeShift``): by the duration of the pass, or by the span of its measured times if that is more, so that
/// measured times never step back. Seeking back, and a file measured before its predecessor, shift in the same way. The
/// caller waits until an item is due.
package struct ReplaySchedule: ~Copyable, Sendable {
  /// Time before the target of a seek that is passed on as lead-in: enough for a receiver to learn the date, the order of
  /// the sentences, and the epoch of the target.
  package static let leadIn = Duration.seconds(3)
  /// Times further back than this belong to another measurement; receivers send some sentences late.
  private static let lateness = Duration.seconds(2)

  /// The latest published measured time, shifted; set by a player at `max`, where the schedule does not decode its items.
  package var published: UTCInstant?

  private var timeline: RecordingTimeline
  private let isLooped: Bool
  /// Whether every burst is decoded for its measured times.
  private let observes: Bool
  private var pass = 0
  private var file = 0
  private var format: InputFormat?
  /// The current measurement, see ``ReplayItem/measurement``.
  package private(set) var measurement = 0
  /// Offset of this pass's position 0.
  private var base: Duration = .zero
  private var shift: Duration = .zero
  private var span = MeasuredSpan()
  /// The latest measured time of the items so far, shifted.
  private var latestMeasured: UTCInstant?
  /// Position of the newest item, played or skipped.
  package private(set) var position: Duration = .zero
  private var offset: Duration = .zero
  private var passIsEmpty = true
  /// The first item at or after the target of a seek.
  private var sought: RecordedTime.Item?
  private var settling: Settling?
  /// File and format of the newest item skipped by a seek.
  private var skipped: (file: Int, format: InputFormat?) = (0, nil)
  /// Index of the file with the target of the newest seek.
  package var soughtFile: Int { timeline.file }

  /// What a seek passes on before its target.
  package enum LeadIn {
    /// A burst, and its time before the target.
    case burst(RecordedBurst, ahead: Duration)
    /// The next burst follows a gap, see ``ReplayItem/isAfterGap``.
    case gap(ahead: Duration)
    /// The beginning of another file or measurement.
    case border
  }

  /// A shift that the first measured time after a border decides.
  private struct Settling {
    /// Whether a new measurement certainly begins.
    var isCut: Bool
    var span = MeasuredSpan()
  }

  /// Opens the files. At `max` without a loop bursts are not decoded: the caller sets ``published``.
  package init(files: [String], speed: ReplaySpeed, loop: Bool) throws(RecordingError) {
    let timeline = try RecordingTimeline(files: files)
    self.init(timeline, isLooped: loop, observes: loop || speed != .max)
  }

  // Swift 6.2 destroys properties with a default value twice when an initializer throws.
  private init(_ timeline: consuming RecordingTimeline, isLooped: Bool, observes: Bool) {
    self.timeline = timeline
    self.isLooped = isLooped
    self.observes = observes
  }

  /// Damage skipped so far, in all passes.
  package var damage: RecordingDamageCounts { timeline.damage }

  /// The next item; `nil` at the end of the replay.
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
    if timeline.file != file {
      file = timeline.file
      if settling == nil { settling = Settling(isCut: false) }
    }
    // Sentences do not continue reports.
    if item.isCut || format.map({ $0 != timeline.format }) ?? false { cut() }
    format = timeline.format
    if case .burst(let burst) = item.content {
      settle(burst)
      if observes {
        span.observe(burst.bytes)
        if let last = span.last { latestMeasured = max(latestMeasured ?? last + shift, last + shift) }
      }
    }
    return ReplayItem(
      offset: offset, position: item.position, pass: pass, file: file, measurement: measurement, timeShift: shift,
      isAfterGap: item.isAfterGap, content: item.content)
  }

  /// Continues at another position. `reached` is the current offset of the replay's clock, not before that of the newest
  /// played item. Items in between are skipped. Beyond the end the replay is over, or loops.
  package mutating func seek(to target: Duration, at reached: Duration) throws(RecordingError) {
    try beginSeek(to: target)
    while try !continueSeek(to: target, atMost: .max, at: reached) {}
  }

  /// Begins a seek; there are no items until ``continueSeek(to:atMost:at:leadingIn:)`` has returned true.
  package mutating func beginSeek(to target: Duration) throws(RecordingError) {
    sought = nil
    if target <= position + Self.leadIn {
      try timeline.rewind()
      span.restart()
      position = .zero
    }
    cut()
  }

  /// Reads so many further items; returns whether the target or the end is reached. Calls `body` with the lead-in.
  package mutating func continueSeek(
    to target: Duration, atMost count: Int, at reached: Duration,
    leadingIn body: (LeadIn) -> Void = { _ in }
  ) throws(RecordingError) -> Bool {
    var left = count
    while left > 0 {
      left -= 1
      guard let item = try timeline.next() else {
        begin(position, at: reached)
        return true
      }
      position = item.position
      passIsEmpty = false
      if item.isCut || timeline.file != skipped.file || timeline.format != skipped.format {
        skipped = (timeline.file, timeline.format)
        body(.border)
      }
      if item.position >= target {
        sought = item
        (file, format) = skipped
        begin(target, at: reached)
        return true
      }
      guard case .burst(let burst) = item.content else { continue }
      if observes { span.observe(burst.bytes) }
      let ahead = target - item.position
      guard ahead <= Self.leadIn else { continue }
      if item.isAfterGap { body(.gap(ahead: ahead)) }
      body(.burst(burst, ahead: ahead))
    }
    return false
  }

  /// Continues at a position and an offset, regardless of an item that was returned but not played.
  private mutating func begin(_ position: Duration, at reached: Duration) {
    offset = reached
    base = reached - position
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
    file = 0
    cut()
  }

  /// Begins a new measurement.
  private mutating func cut() {
    measurement += 1
    settling = Settling(isCut: true)
  }

  /// Shifts the measured times after a border so that they follow those before it.
  private mutating func settle(_ burst: RecordedBurst) {
    guard var border = settling else { return }
    border.span.observe(burst.bytes)
    settling = border
    guard let first = border.span.earliest else { return }
    settling = nil
    // Published times lag by the epoch that is still open.
    guard let latest = latestMeasured ?? published.map({ $0 + Self.lateness }) else { return }
    let missing = latest - (first + shift)
    guard missing >= (border.isCut ? .zero : Self.lateness) else { return }
    if !border.isCut { measurement += 1 }
    shift += Self.wholeSeconds(above: missing)
  }

  /// The smallest whole number of seconds above a duration.
  private static func wholeSeconds(above duration: Duration) -> Duration {
    .seconds(duration.components.seconds + 1)
  }
}

/// The measured times of a replay's items.
struct MeasuredSpan: Sendable {
  /// The earliest time of this pass, as recorded.
  private(set) var earliest: UTCInstant?
  /// The latest time of this pass, as recorded.
  private(set) var latest: UTCInstant?
  /// The newest time, as recorded.
  private(set) var last: UTCInstant?

  private var decoder = NMEADecoder(checksums: .accept)
  private var hasRMC = false

  /// Adds the dates with times of a burst: of valid RMC, of ZDA if there is no RMC, and of gpsd's `TPV`.
  mutating func observe(_ bytes: [UInt8]) {
    var times: [UTCInstant] = []
    if Report.begins(bytes) {
      for line in bytes.split(separator: UInt8(ascii: "\n")) where Report.begins(line) {
        let report = line.withUnsafeBufferPointer { GPSDReport(line: $0, at: .zero) }
        if case .position(let position) = report, position.fix != nil, let time = position.time { times.append(time) }
      }
    }
    bytes.withUnsafeBytes { bytes in
      decoder.decode(bytes) { event in
        guard case .sentence(let sentence) = event.payload else { return }
        switch sentence {
        case .rmc(let rmc):
          hasRMC = true
          guard rmc.status != .void, rmc.position != nil, let date = rmc.date, let time = rmc.time,
            let instant = UTCInstant(date: date, time: time)
          else { return }
          times.append(instant)
        case .zda(let zda) where !hasRMC:
          guard let date = zda.date, date.year >= 2000, let time = zda.time,
            let instant = UTCInstant(date: date, time: time)
          else { return }
          times.append(instant)
        default: return
        }
      }
    }
    for time in times {
      earliest = min(earliest ?? time, time)
      latest = max(latest ?? time, time)
      last = time
    }
  }

  /// Begins a new pass.
  mutating func restart() { self = MeasuredSpan() }
}
