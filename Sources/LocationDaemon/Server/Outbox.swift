import DequeModule
import Glibc
import LocationCore
import NIOCore

/// What waits to be written to one client that does not read fast enough: the newest fix, and a few events.
struct Outbox {
  /// A fix that waits, with the reason it was to be delivered for.
  struct PendingFix {
    var fix: PublishedFix
    var reason: DeliveryReason
  }

  /// Events and replies a client may have waiting.
  static let maxEvents = 64

  private(set) var events = Deque<ByteBuffer>()
  private(set) var fix: PendingFix?
  /// The newest sky.
  private(set) var sky: ByteBuffer?
  /// Fixes that a newer one replaced before they could be written.
  private(set) var replacedFixes = 0

  /// Whether nothing waits.
  var isEmpty: Bool { events.isEmpty && fix == nil && sky == nil }

  /// Queues an event or reply; `false` when the client has as many waiting as it may.
  mutating func append(event: ByteBuffer) -> Bool {
    guard events.count < Self.maxEvents else { return false }
    events.append(event)
    return true
  }

  /// Queues lines without a bound: a replay at full speed waits until they are written.
  mutating func appendUnbounded(event: ByteBuffer) {
    events.append(event)
  }

  /// Holds a fix in place of the one that waited. A reason that is told only once outlives the fix it came with.
  mutating func hold(_ newest: PendingFix) {
    var newest = newest
    if let old = fix {
      replacedFixes += 1
      newest.reason = newest.reason.replacing(old.reason)
    }
    fix = newest
  }

  /// Holds a sky in place of the one that waited.
  mutating func hold(sky newest: ByteBuffer) {
    sky = newest
  }

  /// Takes the fix out that waits.
  mutating func takeFix() -> PendingFix? {
    defer { fix = nil }
    return fix
  }

  /// Takes everything out for writing.
  mutating func take() -> (events: Deque<ByteBuffer>, fix: PendingFix?, sky: ByteBuffer?) {
    defer {
      events.removeAll(keepingCapacity: true)
      fix = nil
      sky = nil
    }
    return (events, fix, sky)
  }
}

extension DeliveryReason {
  /// The reason to tell when this delivery takes the place of an undelivered `older` one.
  func replacing(_ older: DeliveryReason) -> DeliveryReason {
    switch (self, older) {
    case (.moved, .heartbeat), (.moved, .requested), (.moved, .snapshot): self
    case (.moved, _), (.heartbeat, _): older
    default: self
    }
  }
}

/// The socket under a channel, to write to at once: the way through the channel costs several times what the
/// kernel does, and is needed only for what the kernel does not take.
///
/// Nothing may wait in the channel, or the order is lost; and the channel must not have been closed.
struct DirectSocket {
  private let descriptor: CInt

  /// `nil` for a channel that is no socket.
  init?(of channel: any Channel) {
    let operations = channel.pipeline.syncOperations
    guard let handle = try? operations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self, { $0 }) else {
      return nil
    }
    descriptor = handle
  }

  /// Writes what the kernel takes now, and removes it from `lines`. Returns whether the connection still stands; an
  /// error takes nothing: the channel meets it again and ends the connection for it.
  func write(_ lines: inout ByteBuffer) -> Bool {
    let count = lines.withUnsafeReadableBytes { bytes in
      send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL))
    }
    guard count >= 0 else { return errno == EAGAIN || errno == EINTR || errno == ENOBUFS }
    lines.moveReaderIndex(forwardBy: count)
    return true
  }
}
