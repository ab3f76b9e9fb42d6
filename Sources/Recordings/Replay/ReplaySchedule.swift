import GPSDProtocol
import LocationCore

/// A replay: the items of one or several files, in order and each with its time, once or for ever.
///
/// At the end of a looped replay the next pass begins after the next whole second, and everything measured in
/// it is shifted by a whole number of seconds (``ReplayItem/timeShift``): by as much as the replay took, or by what
/// the measured times span if that is more, so that none of them lies before one of the pass before. Seeking back and a
/// file that was measured before the one that it follows shift in the same way. When to hand out an item is for whoever
/// plays it to say.
package struct ReplaySchedule: ~Copyable, Sendable {
  /// So much before a place that is sought is shown: enough for whoever reads it to know the date and the order of the
  /// sentences, and which epoch the place lies in.
  package static let leadIn = Duration.seconds(3)
  /// Times further back than this are another measurement's: receivers send some sentences late.
  private static let lateness = Duration.seconds(2)

  /// The latest measured time that was published, shifted: said by a player at `max`, where the schedule itself does not
  /// look into what it hands out.
  package var published: UTCInstant?

  private var timeline: RecordingTimeline
  private let isLooped: Bool
  /// Whether every measured time is looked at.
  private let observes: Bool
  private var pass = 0
  private var file = 0
  private var format: InputFormat?
  /// Which measurement comes next, see ``ReplayItem/measurement``.
  package private(set) var measurement = 0
  /// The offset of this pass's position 0.
  private var base: Duration = .zero
  private var shift: Duration = .zero
  private var span = MeasuredSpan()
  /// The latest measured time that was handed out, shifted.
  private var handedOut: UTCInstant?
  /// Where the last item was that was handed out, or passed by on the way to a place.
  package private(set) var position: Duration = .zero
  private var offset: Duration = .zero
  private var passIsEmpty = true
  private var sought: RecordedTime.Item?
  private var settling: Settling?
  /// What the last item that was passed by on the way to a place was of.
  private var passed: (file: Int, format: InputFormat?) = (0, nil)
  /// Which of the files the place lies in that was sought.
  package var soughtFile: Int { timeline.file }

  /// What is shown of what comes before a place.
  package enum LeadIn {
    /// A burst, and how far before the place it came.
    case burst(RecordedBurst, ahead: Duration)
    /// What comes does not go on with what came.
    case border
  }

  /// The first measured time behind a border decides what is to be added to it and to those that follow.
  private struct Settling {
    /// Whether it is known that a new measurement begins.
    var isCut: Bool
    var span = MeasuredSpan()
  }

  /// Opens the files. At `max` and without a loop not every sentence is looked into: give ``published`` then.
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
    if timeline.file != file {
      file = timeline.file
      if settling == nil { settling = Settling(isCut: false) }
    }
    // Sentences do not go on where reports end.
    if item.isCut || format.map({ $0 != timeline.format }) ?? false { cut() }
    format = timeline.format
    if case .burst(let burst) = item.content {
      settle(burst)
      if observes {
        span.observe(burst.bytes)
        if let last = span.last { handedOut = max(handedOut ?? last + shift, last + shift) }
      }
    }
    return ReplayItem(
      offset: offset, position: item.position, pass: pass, file: file, measurement: measurement, timeShift: shift,
      content: item.content)
  }

  /// Goes on at another position, at an offset that the replay's clock has reached: not before that of the last item that
  /// was played. What lies between is not handed out. Behind the end the replay is over, or begins again if it is looped.
  package mutating func seek(to target: Duration, at reached: Duration) throws(RecordingError) {
    try beginSeek(to: target)
    while try !continueSeek(to: target, atMost: .max, at: reached) {}
  }

  /// The first part of a seek: nothing is handed out until ``continueSeek(to:atMost:at:)`` has said that it is there.
  package mutating func beginSeek(to target: Duration) throws(RecordingError) {
    sought = nil
    if target <= position + Self.leadIn {
      try timeline.rewind()
      span.restart()
      position = .zero
    }
    cut()
  }

  /// Reads on by so many items; returns whether the place, or the end, is reached. Shows what comes shortly before the
  /// place.
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
      if item.isCut || timeline.file != passed.file || timeline.format != passed.format {
        passed = (timeline.file, timeline.format)
        body(.border)
      }
      if item.position >= target {
        sought = item
        (file, format) = passed
        begin(target, at: reached)
        return true
      }
      guard case .burst(let burst) = item.content else { continue }
      if observes { span.observe(burst.bytes) }
      if target - item.position <= Self.leadIn { body(.burst(burst, ahead: target - item.position)) }
    }
    return false
  }

  /// An item that was handed out and not played does not hold back what comes now.
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

  /// What comes is a new measurement.
  private mutating func cut() {
    measurement += 1
    settling = Settling(isCut: true)
  }

  /// Shifts what is measured behind a border by so much more that it lies behind what was handed out.
  private mutating func settle(_ burst: RecordedBurst) {
    guard var border = settling else { return }
    border.span.observe(burst.bytes)
    settling = border
    guard let first = border.span.earliest else { return }
    settling = nil
    // What is published may be behind what was handed out by an epoch that has not closed.
    guard let latest = handedOut ?? published.map({ $0 + Self.lateness }) else { return }
    let missing = latest - (first + shift)
    guard missing >= (border.isCut ? .zero : Self.lateness) else { return }
    if !border.isCut { measurement += 1 }
    shift += Self.wholeSeconds(above: missing)
  }

  /// The smallest whole number of seconds that is more.
  private static func wholeSeconds(above duration: Duration) -> Duration {
    .seconds(duration.components.seconds + 1)
  }
}

/// The measured times that a replay has handed out: what comes later may not lie before them.
struct MeasuredSpan: Sendable {
  /// The earliest and the latest of this pass, as recorded.
  private(set) var earliest: UTCInstant?
  private(set) var latest: UTCInstant?
  /// The newest one that was seen, as recorded.
  private(set) var last: UTCInstant?

  private var decoder = NMEADecoder(checksums: .accept)
  private var hasRMC = false

  /// Looks for dates with times: in valid RMC, in ZDA from receivers that have no RMC, and in gpsd's `TPV`.
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

  /// Begins a pass.
  mutating func restart() { self = MeasuredSpan() }
}
