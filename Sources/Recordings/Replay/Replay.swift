import LocationCore

/// Plays recordings and logs, one after the other: what happens, and when in recorded time.
///
/// It has no clock and no speed: whoever plays it waits until each step's offset has come, on whatever clock.
package struct Replay: ~Copyable, Sendable {
  /// The longest read that lines without a time of reception are put together to.
  private static let longestRead = 4096
  /// The hole between the end of a round and the next.
  private static let roundGap = Duration.seconds(1)

  /// What was skipped because it could not be read.
  package private(set) var damage = RecordingDamageCounts()

  private let paths: [String]
  private let loops: Bool
  private var reader: RecordingReader
  private var file = 0
  private var stamps = StampClock()
  private var sentences = SentenceClock()
  private var offset = Duration.zero
  private var roundStart = Duration.zero
  private var round = 0
  private var shift = Duration.zero
  /// Lines of one epoch that wait for the rest of it.
  private var gathered: [UInt8] = []
  private var waiting: ReplayStep?
  private var hasPlayed = false

  /// Opens the first of at least one file.
  package init(paths: [String], loops: Bool = false) throws(RecordingError) {
    self.paths = paths
    self.loops = loops
    reader = try RecordingReader(path: paths.first ?? "")
  }

  /// The next step; `nil` at the end.
  package mutating func next() throws(RecordingError) -> ReplayStep? {
    if let step = waiting {
      waiting = nil
      return step
    }
    while true {
      guard let item = try reader.next() else {
        if let step = takeGathered() { return step }
        guard try openNext() else { return nil }
        continue
      }
      switch item {
      case .header: continue
      case .damage(let damage): self.damage.count(damage)
      case .event(let event):
        return play(.event(event.json), stamp: event.stamp)
      case .burst(let burst) where burst.stamp != nil:
        return play(.bytes(burst.bytes), stamp: burst.stamp)
      case .burst(let burst):
        if let step = gather(burst.bytes) { return step }
      }
    }
  }

  /// Something with a stamp: what was gathered goes first.
  private mutating func play(_ content: ReplayStep.Content, stamp: RecordingStamp?) -> ReplayStep {
    let before = takeGathered()
    if let stamp { offset += stamps.advance(to: stamp) }
    let step = step(content)
    guard let before else { return step }
    waiting = step
    return before
  }

  /// A line of a log without stamps: lines of one epoch become one read.
  private mutating func gather(_ line: [UInt8]) -> ReplayStep? {
    let elapsed = sentences.advance(to: line)
    var finished: ReplayStep?
    if elapsed > .zero || gathered.count + line.count > Self.longestRead { finished = takeGathered() }
    offset += elapsed
    gathered.append(contentsOf: line)
    return finished
  }

  private mutating func takeGathered() -> ReplayStep? {
    guard !gathered.isEmpty else { return nil }
    defer { gathered.removeAll(keepingCapacity: true) }
    return step(.bytes(gathered))
  }

  private mutating func step(_ content: ReplayStep.Content) -> ReplayStep {
    hasPlayed = true
    return ReplayStep(offset: offset, content: content, round: round, timeShift: shift)
  }

  /// Goes on with the next file, or with the first one again; `false` at the end.
  private mutating func openNext() throws(RecordingError) -> Bool {
    if file + 1 < paths.count {
      file += 1
      reader = try RecordingReader(path: paths[file])
      return true
    }
    // A recording in which nothing happens would go round without ever giving a step.
    guard loops, hasPlayed else { return false }
    hasPlayed = false
    // Whole seconds, so that the times of a round look like those of the first.
    let length = (offset - roundStart + Self.roundGap).components.seconds + 1
    roundStart += .seconds(length)
    offset = roundStart
    shift = roundStart
    round += 1
    file = 0
    stamps = StampClock()
    sentences = SentenceClock()
    reader = try RecordingReader(path: paths[0])
    return true
  }
}
