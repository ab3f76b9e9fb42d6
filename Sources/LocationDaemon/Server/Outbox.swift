import DequeModule
import LocationCore
import NIOCore

/// The pending output of a slow client: the newest fix, sky and pose, and a few events.
struct Outbox {
  /// A held fix with its delivery reason.
  struct PendingFix {
    var fix: PublishedFix
    var reason: DeliveryReason
    /// Its lines for a client without the additions.
    var lines: ByteBuffer?
  }

  /// Maximum number of pending events and replies.
  static let maxEvents = 64

  private(set) var events = Deque<ByteBuffer>()
  private(set) var fix: PendingFix?
  /// The newest sky.
  private(set) var sky: ByteBuffer?
  /// The newest pose.
  private(set) var pose: ByteBuffer?
  /// Number of fixes replaced by a newer one before they were written.
  private(set) var replacedFixes = 0

  /// Whether nothing is pending.
  var isEmpty: Bool { events.isEmpty && fix == nil && sky == nil && pose == nil }

  /// Queues an event or reply; returns `false` when the limit is reached.
  mutating func append(event: ByteBuffer) -> Bool {
    guard events.count < Self.maxEvents else { return false }
    events.append(event)
    return true
  }

  /// Holds a fix in place of an older one. A reason that is reported only once is carried over.
  mutating func hold(_ newest: PendingFix) {
    var newest = newest
    if let old = fix {
      replacedFixes += 1
      newest.reason = newest.reason.replacing(old.reason)
    }
    fix = newest
  }

  /// Holds a sky in place of an older one.
  mutating func hold(sky newest: ByteBuffer) {
    sky = newest
  }

  /// Holds a pose in place of an older one.
  mutating func hold(pose newest: ByteBuffer) {
    pose = newest
  }

  /// Removes and returns the held fix.
  mutating func takeFix() -> PendingFix? {
    defer { fix = nil }
    return fix
  }

  /// Removes and returns everything for writing.
  mutating func take() -> (events: Deque<ByteBuffer>, fix: PendingFix?, sky: ByteBuffer?, pose: ByteBuffer?) {
    defer {
      events.removeAll(keepingCapacity: true)
      fix = nil
      sky = nil
      pose = nil
    }
    return (events, fix, sky, pose)
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
