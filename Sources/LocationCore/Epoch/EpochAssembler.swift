/// Groups the sentences and UBX messages of one receiver into epochs, by time, and closes each exactly once: when the learned
/// last one that a fix needs arrives, or the receiver's own end of an epoch (NAV-EOE), when another time arrives, when a
/// type repeats, or after silence. It stays current until the next one opens, to distinguish late sentences from the
/// first one of the next epoch.
struct EpochAssembler: Sendable {
  /// Maximum difference between times of day within one epoch, nanoseconds.
  static let sameTime: Int64 = 10_000_000

  /// Epochs as short as this differ in the decimals of their times, nanoseconds.
  private static let shortEpoch: Int64 = 500_000_000

  enum Phase {
    /// There is no current epoch. Untimed sentences that arrive now are kept for the next one.
    case between
    case open
    /// The current epoch has closed; further sentences of it are late.
    case closed
  }

  enum Step {
    /// The sentence belongs to the current epoch, or is kept for the next.
    case joins
    /// The sentence ends the current epoch and opens the next.
    case opens
    /// The sentence ends the current epoch and is kept for the next.
    case precedes
    /// The sentence belongs to the previous epoch and is too late for it.
    case strays
  }

  var content = EpochContent()
  private(set) var rhythm = EpochRhythm()
  var burst = BurstStart()
  private(set) var phase = Phase.between
  private var orders = [SentenceOrder](repeating: SentenceOrder(), count: EpochContent.Kind.allCases.count * 2)
  /// Index of the order that the current epoch follows.
  private var order = 0
  private var previous: (key: TimeOfDay?, kinds: UInt32, timeOfWeek: Int?, order: Int)?
  var clock = UBXClock()
  private var lastByte: MonotonicInstant?
  /// The longest pause between reads since the first solution sentence, nanoseconds.
  private var pause: Int64 = 0
  /// The longest pause between two sentences of the current epoch, nanoseconds.
  private var innerPause: Int64 = 0
  /// The longest pause before the newest sentence without a time that a fix needs; `nil` once it is known whose it is.
  private var pauseBefore: Int64?

  /// When silence closes the open epoch; `nil` with only a time: some receivers send ZDA at the end of a burst.
  @inline(__always) var deadline: MonotonicInstant? {
    guard case .open = phase, content.hasSolution, let lastByte else { return nil }
    return lastByte.later(by: rhythm.silence)
  }

  /// Returns whether silence ended the closed epoch, to be finished. Sentences kept without an epoch are discarded.
  mutating func arrived(_ count: Int, at instant: MonotonicInstant) -> Bool {
    burst.read(count, at: instant)
    defer { lastByte = instant }
    guard let lastByte else { return false }
    let gap = instant.nanoseconds &- lastByte.nanoseconds
    pause = max(pause, gap)
    let isSilence = gap >= rhythm.silence
    if let pauseBefore, gap >= pauseBefore { endBurst(behind: pauseBefore) }
    guard isSilence else { return false }
    if phase == .between { content.removeAll() }
    return phase == .closed
  }

  /// A burst that ends without a time is nearer to the epoch before it than to the next: the pause lay within an epoch.
  @inline(never) private mutating func endBurst(behind pause: Int64) {
    pauseBefore = nil
    if phase != .between {
      innerPause = max(innerPause, pause)
    } else if let period = rhythm.period, pause <= period / 2 {
      rhythm.paused(pause)
    }
  }

  /// The current epoch's time may become more exact. Called in place: to read, the compiler would copy the assembler.
  mutating func step(_ kind: EpochContent.Kind, _ time: TimeOfDay?, from talker: Talker) -> Step {
    if kind.mayPrecede {
      return phase != .between && content.has(kind, from: talker) ? .precedes : .joins
    }
    if let time, let key = content.key, phase != .between {
      if time.distance(to: key) <= Self.sameTime { return content.has(kind, from: talker) ? .opens : .joins }
      if isSame(time, key), pause <= Self.burstPause, !content.has(kind) {
        content.key = max(time, key)
        return .joins
      }
    }
    if let time, let previous, let key = previous.key, time.distance(to: key) <= Self.sameTime,
      previous.kinds & 1 << kind.rawValue == 0
    {
      return .strays
    }
    if time == nil, !kind.isSolution { return .joins }
    guard phase != .between, time == nil else { return .opens }
    return content.has(kind, from: talker) ? .opens : .joins
  }

  /// Whether one only leaves out decimals: not in short epochs, of which the first may be cut. In place, as `step`.
  private mutating func isSame(_ time: TimeOfDay, _ key: TimeOfDay) -> Bool {
    let (one, other) = (time.nanoseconds, key.nanoseconds)
    guard TimeOfDay.isCoarser(one, than: other) || TimeOfDay.isCoarser(other, than: one) else { return false }
    // A clock that goes back within its second is no next epoch's.
    guard let before = previous?.key else { return time < key || time.distance(to: key) > Self.shortEpoch }
    return before.distance(to: max(time, key)) > Self.shortEpoch
  }

  /// The effect of a UBX message of this kind, by its GPS time of week or, beside sentences, by UTC, if that is known.
  mutating func step(_ kind: EpochContent.Kind, timeOfWeek: UInt32, _ time: TimeOfDay?) -> Step {
    if phase != .between {
      if let current = content.ubx.timeOfWeek {
        if current == Int(timeOfWeek) { return content.has(kind) ? .opens : .joins }
      } else if let time, let key = content.key, time.distance(to: key) <= Self.sameTime {
        return .joins
      }
    }
    if let previous, previous.timeOfWeek == Int(timeOfWeek), previous.kinds & 1 << kind.rawValue == 0 { return .strays }
    return .opens
  }

  /// Returns whether the message is the learned last, to close, and whether one of its values is out of range.
  mutating func add(
    _ frame: UBXFrame, _ kind: EpochContent.Kind, at instant: MonotonicInstant
  ) -> (isLast: Bool, isOutOfRange: Bool) {
    let isNeeded = kind.isNeeded(besides: content.kinds)
    if isNeeded { content.received = instant }
    let hadSolution = content.hasSolution
    let isOutOfRange = content.add(frame, kind)
    if !noteSolution(hadSolution, at: instant) { innerPause = pause }
    return (isLast(SentenceMark(kind, Talker(code: 0)), isNeeded: isNeeded), isOutOfRange)
  }

  /// Registers the first solution of the current epoch; returns whether it has just come.
  @inline(__always) private mutating func noteSolution(_ hadSolution: Bool, at instant: MonotonicInstant) -> Bool {
    guard content.hasSolution, !hadSolution else { return false }
    (pause, innerPause) = (0, 0)
    rhythm.opened(at: instant)
    content.began = burst.take()
    return true
  }

  /// Whether a sentence is the learned last of the current epoch, and has not come.
  var awaitsSentence: Bool { orders[order].awaitsSentence }

  /// Records a mark of the current epoch. Returns whether it is the learned last.
  @inline(__always) private mutating func isLast(_ mark: SentenceMark, isNeeded: Bool) -> Bool {
    guard phase != .between else { return false }
    return orders[order].arrived(mark, isNeeded: isNeeded) && phase == .open && content.hasSolution
  }

  mutating func open(_ kind: EpochContent.Kind, _ time: TimeOfDay?) {
    content.key = time
    phase = .open
    pauseBefore = nil
    order = kind.rawValue * 2 + (time == nil ? 1 : 0)
  }

  /// Adds a sentence to the current epoch, or keeps it for the next. Returns whether it is the learned last, to close.
  mutating func add(
    _ sentence: Sentence, _ kind: EpochContent.Kind?, isNeeded: Bool, from talker: Talker, at instant: MonotonicInstant
  ) -> Bool {
    if isNeeded { content.received = instant }
    if kind?.mayPrecede ?? true, let kinds = phase == .between ? previous?.kinds : content.kinds,
      kind?.isNeeded(besides: kinds) ?? true
    {
      pauseBefore = pause
    }
    if let kind {
      let hadSolution = content.hasSolution
      content.add(sentence, kind, from: talker)
      if !noteSolution(hadSolution, at: instant), !kind.mayPrecede { innerPause = pause }
    } else if case .gsa(let gsa) = sentence {
      content.add(gsa)
    }
    return isLast(SentenceMark(kind, talker), isNeeded: isNeeded)
  }

  /// Longest pause within a burst, nanoseconds.
  private static let burstPause: Int64 = 50_000_000

  /// Adds a heading. The first one in the burst of an epoch is a part of it, as of a receiver with two antennas; the
  /// others are those of a compass, which has its own pace. Returns whether it is the learned last, to close.
  mutating func add(
    heading: Double?, _ kind: EpochContent.Kind, from talker: Talker, at instant: MonotonicInstant
  ) -> Bool {
    let isNeeded = !content.statesHeading && pause <= Self.burstPause
    content.add(heading: heading, kind)
    if isNeeded, phase != .between { content.received = instant }
    return isLast(SentenceMark(kind, talker), isNeeded: isNeeded)
  }

  /// Returns whether the previous epoch needed it: a silence within that was mistaken for its end, if none has opened.
  mutating func stray(_ kind: EpochContent.Kind, from talker: Talker) -> Bool {
    guard let previous else { return true }
    let isNeeded = kind.isNeeded(besides: previous.kinds)
    guard isNeeded, phase == .between else { return isNeeded }
    rhythm.paused(pause)
    orders[previous.order].followed(SentenceMark(kind, talker))
    return true
  }

  mutating func close() { phase = .closed }

  mutating func finish() {
    guard phase != .between else { return }
    orders[order].finish()
    rhythm.ended(longestPause: innerPause)
    previous = (content.key, content.kinds, content.ubx.timeOfWeek, order)
    content.removeAll()
    phase = .between
  }
}

struct SentenceMark: Hashable, Sendable {
  private let code: Int

  /// The mark of a sentence of this kind; `nil` for GSA.
  @inline(__always)
  init(_ kind: EpochContent.Kind?, _ talker: Talker) { code = (kind?.rawValue ?? 0xFF) << 16 | Int(talker.code) }

  /// UBX messages have no talker.
  var isSentence: Bool { code & 0xFFFF != 0 }
}
