import DequeModule
import LocationCore
import NIOCore

/// The pending output of a slow client: the newest fix, sky, place on the course and pose, and a few other lines.
struct Outbox {
  struct PendingFix {
    var fix: PublishedFix
    var reason: DeliveryReason
    /// Its lines for a client without the additions.
    var lines: ByteBuffer?
  }

  static let maxLines = 64

  private var lines = Deque<(lines: ByteBuffer, isEvent: Bool)>()
  var count: Int { lines.count }
  /// Whether events were discarded, in place of which the client receives the current state.
  private(set) var isStateDue = false
  private(set) var discardedEvents = 0
  private(set) var fix: PendingFix?
  var sky: ByteBuffer?
  var course: ByteBuffer?
  var pose: ByteBuffer?
  private(set) var replacedFixes = 0

  var isEmpty: Bool { lines.isEmpty && fix == nil && sky == nil && course == nil && pose == nil }

  /// Queues a reply; returns `false` when the limit is reached.
  mutating func append(reply: ByteBuffer) -> Bool {
    if lines.count >= Self.maxLines { discardEvents() }
    guard lines.count < Self.maxLines else { return false }
    lines.append((reply, false))
    return true
  }

  /// Queues an event, or discards all: others cause events as fast as they like, and must not get this client closed.
  mutating func append(event: ByteBuffer) {
    if lines.count >= Self.maxLines { discardEvents() }
    if isStateDue { discardedEvents += 1 } else { lines.append((event, true)) }
  }

  private mutating func discardEvents() {
    let before = lines.count
    lines.removeAll(where: \.isEvent)
    discardedEvents += before - lines.count
    isStateDue = true
  }

  mutating func takeStateDue() -> Bool { exchange(&isStateDue, with: false) }

  /// Holds a fix in place of an older one. What is reported only once is carried over.
  mutating func hold(_ newest: PendingFix) {
    var newest = newest
    if let old = fix {
      replacedFixes += 1
      newest.reason = newest.reason.replacing(old.reason)
      newest.fix.changes.formUnion(old.fix.changes.subtracting(.suspect))
    }
    fix = newest
  }

  mutating func takeFix() -> PendingFix? { exchange(&fix, with: nil) }

  /// Takes all: the lines, the fix, and what belongs to it, in the order of writing.
  mutating func take() -> (lines: [ByteBuffer], fix: PendingFix?, rest: [ByteBuffer]) {
    defer {
      lines.removeAll(keepingCapacity: true)
      (fix, sky, course, pose) = (nil, nil, nil, nil)
    }
    return (lines.map(\.lines), fix, [sky, course, pose].compactMap(\.self))
  }
}

extension DeliveryReason {
  /// The reason to report when this delivery replaces an undelivered `older` one.
  func replacing(_ older: DeliveryReason) -> DeliveryReason {
    switch (self, older) {
    case (.moved, .heartbeat), (.moved, .requested), (.moved, .snapshot): self
    case (.moved, _), (.heartbeat, _): older
    default: self
    }
  }
}
