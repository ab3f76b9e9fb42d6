/// Groups the sentences of one receiver into epochs and closes each exactly once.
///
/// The key of an epoch is its time of day. It closes when the learned last sentence that a fix needs has come, when
/// another time comes, when a type comes twice, or after a silence. From its close to the beginning of the next one
/// it stays at hand, so that a late sentence is told from the first of the next epoch.
struct EpochAssembler: Sendable {
  /// Times of day no farther apart than this belong to one epoch, nanoseconds.
  static let sameTime: Int64 = 10_000_000

  /// Where the assembler stands.
  enum Phase {
    /// No epoch is at hand. Untimed sentences that come now go ahead of the next one.
    case between
    /// An epoch is open.
    case open
    /// The epoch at hand has closed; what still belongs to it comes late.
    case closed
  }

  /// What a sentence does to the epochs.
  enum Step {
    /// It belongs to the epoch at hand, or goes ahead of the next.
    case joins
    /// The epoch at hand is over, and this opens the next.
    case opens
    /// The epoch at hand is over; this goes ahead of the next.
    case precedes
    /// It belongs to the epoch before the one at hand and is too late for it.
    case strays
  }

  /// The epoch at hand, or what goes ahead of the next one.
  private(set) var content = EpochContent()
  /// How often epochs come.
  private(set) var rhythm = EpochRhythm()
  /// Where the assembler stands.
  private(set) var phase = Phase.between

  private var orders = [SentenceOrder](repeating: SentenceOrder(), count: EpochContent.Kind.allCases.count * 2)
  /// Which of the orders the epoch at hand follows.
  private var order = 0
  private var previous: Previous?
  private var lastByte: MonotonicInstant?
  /// The longest pause between reads since the first word of a solution, nanoseconds.
  private var pause: Int64 = 0
  /// As much of it as lies between sentences of one epoch.
  private var innerPause: Int64 = 0

  /// The epoch before the one at hand.
  private struct Previous {
    var key: TimeOfDay?
    var kinds: UInt16
    var order: Int
  }

  /// When silence closes the open epoch; `nil` when none is open. One that has only a time waits for the rest:
  /// some receivers send ZDA of a second at the end of the burst of the second before.
  @inline(__always)
  var deadline: MonotonicInstant? {
    guard case .open = phase, content.hasSolution, let lastByte else { return nil }
    return lastByte.later(by: rhythm.silence)
  }

  /// Notes that bytes arrived. Returns whether the silence before them ended the epoch at hand, so that only
  /// `finish` is left to do with it. What went ahead of an epoch that did not come is forgotten.
  mutating func arrived(at instant: MonotonicInstant) -> Bool {
    defer { lastByte = instant }
    guard let lastByte else { return false }
    let gap = instant.nanoseconds &- lastByte.nanoseconds
    pause = max(pause, gap)
    guard gap >= rhythm.silence else { return false }
    switch phase {
    case .open: return false
    case .closed: return true
    case .between:
      content.removeAll()
      return false
    }
  }

  /// What a sentence of a kind does, seen from the epoch at hand.
  @inline(__always)
  func step(_ kind: EpochContent.Kind, _ time: TimeOfDay?, from talker: Talker) -> Step {
    if kind == .vtg || kind == .pgrme {
      return phase != .between && content.has(kind, from: talker) ? .precedes : .joins
    }
    if let time, let key = content.key, phase != .between, time.distance(to: key) <= Self.sameTime {
      return content.has(kind, from: talker) ? .opens : .joins
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

  /// Opens an epoch; what went ahead of it becomes part of it.
  mutating func open(_ kind: EpochContent.Kind, _ time: TimeOfDay?) {
    content.key = time
    phase = .open
    order = kind.rawValue * 2 + (time == nil ? 1 : 0)
  }

  /// Adds a sentence to the epoch at hand, or ahead of the next one. Returns whether the epoch is to be closed
  /// now because its learned last sentence has come.
  mutating func add(
    _ sentence: Sentence, _ kind: EpochContent.Kind?, from talker: Talker, at instant: MonotonicInstant
  ) -> Bool {
    let isNeeded = content.needs(sentence)
    if isNeeded { content.received = instant }
    if let kind {
      let hadSolution = content.hasSolution
      content.add(sentence, kind, from: talker)
      if content.hasSolution, !hadSolution {
        pause = 0
        innerPause = 0
        rhythm.opened(at: instant)
      } else if kind != .vtg, kind != .pgrme {
        innerPause = pause
      }
    } else if case .gsa(let gsa) = sentence {
      content.add(gsa)
    }
    guard phase != .between, let mark = SentenceMark(sentence, talker) else { return false }
    let isLast = orders[order].arrived(mark, isNeeded: isNeeded)
    return isLast && phase == .open && content.hasSolution
  }

  /// Notes a sentence that belongs to the epoch before the one at hand. When none has opened since, a silence
  /// inside of that epoch was taken for its end. Returns whether that epoch's fix would have needed it.
  mutating func stray(_ sentence: Sentence, _ kind: EpochContent.Kind, from talker: Talker) -> Bool {
    guard let previous else { return true }
    let isNeeded = kind.isNeeded(besides: previous.kinds)
    guard isNeeded, phase == .between else { return isNeeded }
    rhythm.paused(pause)
    if let mark = SentenceMark(sentence, talker) { orders[previous.order].followed(mark) }
    return true
  }

  /// Notes that the epoch at hand has been told of.
  mutating func close() {
    phase = .closed
  }

  /// Parts with the epoch at hand, which is complete, and learns from it.
  mutating func finish() {
    guard phase != .between else { return }
    orders[order].finish()
    rhythm.ended(longestPause: innerPause)
    previous = Previous(key: content.key, kinds: content.kinds, order: order)
    content.removeAll()
    phase = .between
  }
}

/// A place in an epoch's order of sentences: who says what.
struct SentenceMark: Hashable, Sendable {
  /// The letters of the type.
  let code: UInt64
  /// Who says it.
  let talker: Talker

  /// The mark of a sentence; `nil` for one that never adds anything to a fix.
  init?(_ sentence: Sentence, _ talker: Talker) {
    let type: SentenceType
    switch sentence {
    case .rmc: type = .rmc
    case .gga: type = .gga
    case .gll: type = .gll
    case .gns: type = .gns
    case .vtg: type = .vtg
    case .zda: type = .zda
    case .gst: type = .gst
    case .gsa: type = .gsa
    case .pubx00: type = .pubx00
    case .psrfepe: type = .psrfepe
    case .pgrme: type = .pgrme
    default: return nil
    }
    code = type.code
    self.talker = talker
  }
}
