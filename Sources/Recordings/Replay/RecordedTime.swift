import LocationCore

/// Gives each item of recordings and logs its position in recorded time. Pure.
///
/// Positions begin at 0 and never step back. Between stamps of one boot they follow the monotonic clock; over a
/// change of boot or recording, a stamp that steps back, and a silence of more than an hour they go on with
/// what ``Gap`` says. Lines without stamps are gathered to epochs and paced by the times in them.
package struct RecordedTime: Sendable {
  /// An item at its position.
  package struct Item: Sendable {
    package var position: Duration
    package var content: ReplayItem.Content
    /// Whether another clock has begun: what comes is no continuation of what came.
    package var isCut = false
  }

  /// What time passes where the stamps do not tell.
  enum Gap {
    /// Between two rides, and for a silence longer than `longest`.
    static let unknown = Duration.seconds(1)
    static let longest = Duration.seconds(3600)
  }

  private var position: Duration = .zero
  /// The newest stamp, and whether the next one is on the same clock.
  private var newest: MonotonicInstant?
  private var isSameClock = true
  private var boot: String?
  private var pacer = EpochPacer()

  /// Time at the beginning of a recording.
  package init() {}

  /// Takes the next item and appends what it completes. Damage has no time and is passed by.
  package mutating func take(_ item: RecordingItem, into items: inout [Item]) {
    switch item {
    case .burst(let burst) where burst.stamp == nil:
      if let finished = pacer.take(burst.bytes) { items.append(paced(finished)) }
    case .burst(let burst):
      flush(into: &items)
      items.append(timed(.burst(burst), by: burst.stamp))
    case .event(let event):
      flush(into: &items)
      items.append(timed(.event(event), by: event.stamp))
    case .header(let header):
      flush(into: &items)
      take(header)
    case .damage: break
    }
  }

  /// The position of a stamped item, which need not be given to ``take(_:into:)`` then; what was gathered before it
  /// goes ahead.
  mutating func take(_ stamp: RecordingStamp, into items: inout [Item]) -> Duration {
    flush(into: &items)
    return position(of: stamp)
  }

  /// Appends what was gathered: what follows does not belong to it, or nothing follows.
  package mutating func flush(into items: inout [Item]) {
    if let burst = pacer.flush() { items.append(paced(burst)) }
  }

  /// The recording goes on in another file; what was gathered has been flushed.
  package mutating func beginFile() {
    isSameClock = false
    if newest == nil { pacer.beginFile() } else { pacer = EpochPacer() }
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

  private mutating func timed(_ content: ReplayItem.Content, by stamp: RecordingStamp?) -> Item {
    let isCut = stamp != nil && !isSameClock
    return Item(position: position(of: stamp), content: content, isCut: isCut)
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
