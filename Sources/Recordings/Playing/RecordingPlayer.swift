import GPSDProtocol
import LocationCore

/// A translator of a recording's items to what sources and clients gave the engine, each at its recorded time. Pure.
/// The header's facts, the times, runs of the recorder, gaps, losses, and reports among sentences are handled here.
/// Times begin at 0 and never step back. Between stamps of one boot they follow the monotonic clock; at a change of
/// boot or recording and a silence of more than an hour they advance by ``Gap/unknown``. Lines without stamps are
/// combined into epochs and timed by the times in them (``EpochPacer``). The caller adds the pace.
package struct RecordingPlayer: Sendable {
  /// Time steps that stamps do not determine.
  enum Gap {
    /// Step between two rides, and for a silence longer than `longest`.
    static let unknown = Duration.seconds(1)
    static let longest = Duration.seconds(3600)
  }

  /// What the items so far have completed; removed by the caller.
  package private(set) var inputs: [RecordedInput] = []
  package private(set) var now = MonotonicInstant.zero
  /// The format of the items' file, if known: sentences do not continue reports.
  package var format: InputFormat? { didSet { hasNewFormat = hasNewFormat || oldValue != nil && format != oldValue } }

  /// The instant of the newest stamp; `nil` if lines without stamps followed it.
  private var stamped: MonotonicInstant?
  /// Whether the next stamp is on the same clock.
  private var isSameClock = true
  private var pacer = EpochPacer()
  private var run: RecorderRun?
  private var hasBegun = false
  /// Whether no input has followed the beginning.
  private var isNew = false
  private var hasNewFormat = false

  package init() {}
  /// Removes the inputs, keeping their storage.
  package mutating func removeInputs() { inputs.removeAll(keepingCapacity: true) }

  /// Takes the next item. Damage has no input.
  package mutating func add(_ item: RecordingItem) {
    switch item {
    case .damage: break
    case .header(let header): add(header)
    case .burst(let burst):
      if let stamp = burst.stamp {
        advance(to: stamp)
        add(burst)
      } else if let epoch = pacer.add(burst.bytes) {
        add(epoch)
      }
    case .point(let point):
      advance(to: point.stamp)
      append(.report(GPSDReport(point, at: now), line: .point(point)))
    case .event(let event):
      advance(to: event.stamp)
      append(RecordedInput.Content(event: event.json), of: event.stamp?.source)
    }
  }

  package mutating func beginFile() {
    flush()
    isSameClock = false
    if stamped == nil { pacer.beginFile() } else { pacer = EpochPacer() }
  }

  package mutating func finish() {
    flush()
    append(.end)
  }

  private mutating func flush() {
    if let epoch = pacer.flush() { add(epoch) }
  }

  /// A rotated file repeats the header; a restarted recorder has another run.
  private mutating func add(_ header: RecordingHeader) {
    let run = RecorderRun(header)
    if !hasBegun || run != self.run {
      if hasBegun {
        flush()
        append(.end)
      }
      begin(RecordedSetup(header))
    }
    flush()
    // A rotated file continues the clock of its predecessor.
    isSameClock = stamped == nil || (run.boot != nil && run.boot == self.run?.boot)
    self.run = run
  }

  private mutating func begin(_ setup: RecordedSetup) {
    (hasBegun, isNew) = (true, true)
    append(.begin(setup))
  }

  private mutating func add(_ epoch: EpochPacer.Burst) {
    // Lines without stamps follow stamps only in a later file.
    let unknown = stamped == nil ? .zero : Gap.unknown
    advance(by: unknown + epoch.advance, isAfterGap: epoch.isAfterGap || stamped != nil)
    stamped = nil
    add(RecordedBurst(stamp: nil, bytes: epoch.bytes))
  }

  private mutating func add(_ burst: RecordedBurst) {
    let source = burst.stamp?.source
    let isStamped = burst.stamp != nil
    RecordedInput.Content.forEach(of: burst.bytes, at: now) { append($0, of: source, isStamped: isStamped) }
  }

  /// Goes on to the time of a burst or an event with that stamp, after the pending epoch.
  private mutating func advance(to stamp: RecordingStamp?) {
    flush()
    guard let instant = stamp?.instant else { return advance(by: .zero) }
    let step: Duration?
    if let stamped {
      step = isSameClock && instant - stamped <= Gap.longest ? max(.zero, instant - stamped) : nil
    } else {
      step = now > .zero || !isSameClock ? nil : .zero
    }
    advance(by: step ?? Gap.unknown, isCut: !isSameClock, isAfterGap: step == nil)
    stamped = instant
    isSameClock = true
  }

  /// Goes on to the next input. It does not continue the previous one if another clock has begun (`isCut`).
  private mutating func advance(by step: Duration, isCut: Bool = false, isAfterGap: Bool = false) {
    if !hasBegun { begin(.log) }
    now = now + step
    if isCut || hasNewFormat, !isNew { append(.restart) }
    (isNew, hasNewFormat) = (false, false)
    if isAfterGap { append(.gap) }
  }

  private mutating func append(_ content: RecordedInput.Content, of source: Int? = nil, isStamped: Bool = true) {
    inputs.append(RecordedInput(content, of: source, at: now, isStamped: isStamped))
  }
}
