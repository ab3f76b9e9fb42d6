import LocationCore

/// The positions of the items of recordings and logs in recorded time. Pure.
///
/// Positions begin at 0 and never step back. Between stamps of one boot they follow the monotonic clock; at a change of
/// boot or recording and a silence of more than an hour they advance by ``Gap/unknown``. Lines without stamps are combined
/// into epochs and timed by the times in them.
package struct RecordedTime: Sendable {
  /// An item at its position.
  package struct Item: Sendable {
    /// Time since the start.
    package var position: Duration
    /// A burst or an event.
    package var content: ReplayItem.Content
    /// Whether another clock has begun, so that the item does not continue the previous one.
    package var isCut = false
    /// Whether the time since the previous item is unknown, or longer than the step between their positions.
    package var isAfterGap = false
  }

  /// Time steps that stamps do not determine.
  enum Gap {
    /// Step between two rides, and for a silence longer than `longest`.
    static let unknown = Duration.seconds(1)
    static let longest = Duration.seconds(3600)
  }

  private var position: Duration = .zero
  /// The newest stamp.
  private var newest: MonotonicInstant?
  /// Whether the next stamp is on the same clock.
  private var isSameClock = true
  private var boot: String?
  private var pacer = EpochPacer()

  /// The beginning of a recording.
  package init() {}

  /// Adds an item and appends what it completes. Damage has no time and is ignored.
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

  /// The position of a stamped item, and whether it follows a gap, instead of ``take(_:into:)``; appends the pending epoch
  /// before it.
  mutating func take(
    _ stamp: RecordingStamp, into items: inout [Item]
  ) -> (position: Duration, isAfterGap: Bool) {
    flush(into: &items)
    return advance(to: stamp)
  }

  /// Appends the pending epoch.
  package mutating func flush(into items: inout [Item]) {
    if let burst = pacer.flush() { items.append(paced(burst)) }
  }

  /// Continues the recording in another file, after ``flush(into:)``.
  package mutating func beginFile() {
    isSameClock = false
    if newest == nil { pacer.beginFile() } else { pacer = EpochPacer() }
  }

  private mutating func paced(_ burst: EpochPacer.Burst) -> Item {
    var isAfterGap = burst.isAfterGap
    if newest != nil {
      // Lines without stamps follow stamps only in a later file.
      position += Gap.unknown
      newest = nil
      isAfterGap = true
    }
    position += burst.advance
    return Item(
      position: position, content: .burst(RecordedBurst(stamp: nil, bytes: burst.bytes)), isAfterGap: isAfterGap)
  }

  private mutating func take(_ header: RecordingHeader) {
    let boot = header["boot"]
    // A rotated file continues the clock of its predecessor.
    isSameClock = newest == nil || (boot != nil && boot == self.boot)
    self.boot = boot
  }

  private mutating func timed(_ content: ReplayItem.Content, by stamp: RecordingStamp?) -> Item {
    let isCut = stamp != nil && !isSameClock
    let (position, isAfterGap) = advance(to: stamp)
    return Item(position: position, content: content, isCut: isCut, isAfterGap: isAfterGap)
  }

  private mutating func advance(to stamp: RecordingStamp?) -> (position: Duration, isAfterGap: Bool) {
    guard let instant = stamp?.instant else { return (position, false) }
    let step: Duration?
    if let newest {
      step = isSameClock && instant - newest <= Gap.longest ? max(.zero, instant - newest) : nil
    } else {
      step = position > .zero || !isSameClock ? nil : .zero
    }
    position += step ?? Gap.unknown
    newest = instant
    isSameClock = true
    return (position, step == nil)
  }
}
