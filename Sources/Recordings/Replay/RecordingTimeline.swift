import LocationCore

/// One pass through the files of a recording, in order, every item with its position in it.
///
/// Positions begin at 0 and never step back. Between stamps of one boot they follow the monotonic clock; over a
/// change of boot or recording, a stamp that steps back, and a silence of more than an hour they go on with
/// what ``Gap`` says. Lines without stamps are paced by their own epochs.
struct RecordingTimeline: ~Copyable, Sendable {
  /// An item at its position.
  struct Item: Sendable {
    var position: Duration
    var content: ReplayItem.Content
  }

  /// What time passes where the stamps do not tell.
  enum Gap {
    /// Between two rides, and for a silence longer than `longest`.
    static let unknown = Duration.seconds(1)
    static let longest = Duration.seconds(3600)
  }

  /// What was skipped so far.
  private(set) var damage = RecordingDamageCounts()

  private let files: [String]
  private var reader: RecordingReader
  private var file = 0
  private var position: Duration = .zero
  /// The newest stamp, and whether the next one is on the same clock.
  private var newest: MonotonicInstant?
  private var isSameClock = true
  private var boot: String?
  private var pacer = EpochPacer()
  private var waiting: RecordingItem?

  /// Opens the files; at least one.
  init(files: [String]) throws(RecordingError) {
    reader = try RecordingReader(path: files.first ?? "")
    self.files = files
  }

  /// Begins again.
  mutating func rewind() throws(RecordingError) {
    if file == 0 {
      try reader.rewind()
    } else {
      reader = try RecordingReader(path: files[0])
    }
    file = 0
    position = .zero
    newest = nil
    isSameClock = true
    boot = nil
    pacer = EpochPacer()
    waiting = nil
  }

  /// The next burst or event; `nil` after the last file.
  mutating func next() throws(RecordingError) -> Item? {
    while true {
      guard let item = try nextItem() else {
        if let burst = pacer.flush() { return paced(burst) }
        guard file + 1 < files.count else { return nil }
        reader = try RecordingReader(path: files[file + 1])
        file += 1
        isSameClock = false
        if newest == nil { pacer.beginFile() } else { pacer = EpochPacer() }
        continue
      }
      switch item {
      case .burst(let burst) where burst.stamp == nil:
        if let finished = pacer.take(burst.bytes) { return paced(finished) }
        continue
      case .header, .burst, .event:
        // What came without a stamp comes before what has one.
        if let burst = pacer.flush() {
          waiting = item
          return paced(burst)
        }
      case .damage(let damage):
        self.damage.count(damage)
        continue
      }
      switch item {
      case .header(let header): take(header)
      case .burst(let burst): return Item(position: position(of: burst.stamp), content: .burst(burst))
      case .event(let event): return Item(position: position(of: event.stamp), content: .event(event))
      case .damage: break
      }
    }
  }

  private mutating func nextItem() throws(RecordingError) -> RecordingItem? {
    guard let item = waiting else { return try reader.next() }
    waiting = nil
    return item
  }

  private mutating func paced(_ burst: EpochPacer.Burst) -> Item {
    if newest != nil {
      // Only in a later file can lines without stamps follow stamps.
      position += Gap.unknown
      newest = nil
    }
    position += burst.advance
    return Item(position: position, content: .burst(RecordedBurst(stamp: nil, bytes: burst.bytes)))
  }

  private mutating func take(_ header: RecordingHeader) {
    let boot = header["boot"]
    // A rotated file goes on with the clock of the one before it.
    isSameClock = newest == nil || (boot != nil && boot == self.boot)
    self.boot = boot
  }

  private mutating func position(of stamp: RecordingStamp?) -> Duration {
    guard let instant = stamp?.instant else { return position }
    if let newest {
      let way = instant - newest
      if !isSameClock || way > Gap.longest {
        position += Gap.unknown
      } else if way > .zero {
        position += way
      }
    } else if position > .zero || !isSameClock {
      position += Gap.unknown
    }
    newest = instant
    isSameClock = true
    return position
  }
}
