import LocationCore

/// The positions of the items of recordings and logs in recorded time. Pure.
///
/// Positions begin at 0 and never step back. Between stamps of one boot they follow the monotonic clock; at a change of
/// boot or recording and a silence of more than an hour they advance by ``Gap/unknown``. Lines without stamps are combined
/// into epochs and timed by the times in them.
package struct RecordedTime: Sendable {
  /// A burst or an event at its position.
  package struct Item: Sendable {
    /// Bytes of a source, or what happened besides.
    package enum Content: Hashable, Sendable {
      case burst(RecordedBurst)
      case event(RecordedEvent)
    }

    package let place: Place
    package let content: Content
  }

  /// A position in a recording.
  package struct Place: Sendable {
    /// Time since the start.
    package let position: Duration
    /// Whether another clock has begun, so that what is here does not continue the previous item.
    var isCut = false
    /// Whether the time since the previous item is unknown, or longer than the step between their positions.
    var isAfterGap = false
  }

  /// Time steps that stamps do not determine.
  enum Gap {
    /// Step between two rides, and for a silence longer than `longest`.
    static let unknown = Duration.seconds(1)
    static let longest = Duration.seconds(3600)
  }

  private var position: Duration = .zero
  private var newest: MonotonicInstant?
  /// Whether the next stamp is on the same clock.
  private var isSameClock = true
  private var boot: String?
  private var pacer = EpochPacer()

  package init() {}

  /// Adds an item and appends what it completes. Damage has no time and is ignored.
  package mutating func take(_ item: RecordingItem, into items: inout [Item]) {
    switch item {
    case .burst(let burst) where burst.stamp == nil:
      if let finished = pacer.take(burst.bytes) { items.append(paced(finished)) }
    case .burst(let burst): items.append(Item(place: take(burst.stamp, into: &items), content: .burst(burst)))
    case .event(let event): items.append(Item(place: take(event.stamp, into: &items), content: .event(event)))
    case .header(let header):
      flush(into: &items)
      take(header)
    case .damage: break
    }
  }

  /// The place of a burst or an event with that stamp; appends the pending epoch before it.
  mutating func take(_ stamp: RecordingStamp?, into items: inout [Item]) -> Place {
    flush(into: &items)
    guard let instant = stamp?.instant else { return Place(position: position) }
    let isCut = !isSameClock
    let step: Duration?
    if let newest {
      step = isSameClock && instant - newest <= Gap.longest ? max(.zero, instant - newest) : nil
    } else {
      step = position > .zero || !isSameClock ? nil : .zero
    }
    position += step ?? Gap.unknown
    newest = instant
    isSameClock = true
    return Place(position: position, isCut: isCut, isAfterGap: step == nil)
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
      place: Place(position: position, isAfterGap: isAfterGap),
      content: .burst(RecordedBurst(stamp: nil, bytes: burst.bytes)))
  }

  private mutating func take(_ header: RecordingHeader) {
    let boot = header["boot"]
    // A rotated file continues the clock of its predecessor.
    isSameClock = newest == nil || (boot != nil && boot == self.boot)
    self.boot = boot
  }
}
