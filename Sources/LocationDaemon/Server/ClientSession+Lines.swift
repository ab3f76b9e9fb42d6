import LocationCore
import NIOCore

// What is queued for a client, and what becomes of it while the client lags.
extension ClientSession {
  /// Queues whole lines that must not be lost: replies, and changes that no other client causes.
  func enqueue(_ lines: ByteBuffer) {
    guard case .open = connection else { return }
    if !isWriting {
      staged.append(lines)
      registry.noteFlush(self)
    } else if !outbox.append(reply: lines) {
      close(reason: "left \(Outbox.maxLines) lines unread")
    }
  }

  /// Queues an event. A client that leaves too many unread receives the current state in place of all of them.
  func enqueue(event lines: ByteBuffer) {
    if isWriting, case .open = connection { outbox.append(event: lines) } else { enqueue(lines) }
  }

  /// Whether the current state is due in place of discarded events, and can be written now.
  func takeStateDue() -> Bool { !isWriting && !isClosing && outbox.takeStateDue() }

  /// Queues a fix: written now, or held until the client reads; only the newest is held.
  func enqueue(
    _ fix: PublishedFix, reason: DeliveryReason, lines: @autoclosure () -> ByteBuffer, sky: ByteBuffer? = nil
  ) {
    guard isWriting, !registry.isLossless, !isClosing else { return enqueue(lines()) }
    outbox.hold(Outbox.PendingFix(fix: fix, reason: reason))
    if let sky { outbox.sky = sky }
  }

  /// Queues a fix for a client without the additions, and its satellites.
  func enqueue(_ fix: PublishedFix, reason: DeliveryReason, as lines: GPSDLines) {
    guard !isClosing else { return }
    let sky = feed?.satellites == true ? lines.sky : nil
    if isWriting, !registry.isLossless {
      outbox.hold(Outbox.PendingFix(fix: fix, reason: reason, lines: lines.fix))
      if let sky { outbox.sky = sky }
      return
    }
    if lines.skyPlace == .beforeFix, let sky { enqueue(sky) }
    enqueue(lines.fix)
    if lines.skyPlace == .afterFix, let sky { enqueue(sky) }
    if lines.skyPlace == .apart, let sky { enqueue(sky: sky) }
  }

  /// Queues a pose, which replaces a held one.
  func enqueue(pose: ByteBuffer) {
    if isWriting, !registry.isLossless, !isClosing { outbox.pose = pose } else { enqueue(pose) }
  }

  /// Queues the place on the course at a fix, which replaces a held one; a change of state takes its place as an event.
  func enqueue(course: ByteBuffer, isTransition: Bool) {
    if isTransition {
      outbox.course = nil
      enqueue(event: course)
    } else if isWriting, !registry.isLossless, !isClosing {
      outbox.course = course
    } else {
      enqueue(course)
    }
  }

  /// Queues what a slow reader may miss, in whole lines.
  func enqueue(droppable lines: ByteBuffer) {
    if isWriting, !registry.isLossless { return }
    enqueue(lines)
  }

  /// Queues the held fix ahead of further events; sent after a loss, it would look new.
  func enqueuePendingFix() {
    guard !isClosing, let fix = outbox.takeFix() else { return }
    enqueue(fix.lines ?? registry.line(of: fix))
  }

  /// Queues the newest satellites, which replace held ones.
  func enqueue(sky: ByteBuffer) {
    if isClosing || registry.isLossless { return enqueue(sky) }
    if isWriting { return outbox.sky = sky }
    guard feed?.usesAdditions == false else { return enqueue(sky) }
    if delayedSky == nil { registry.delaySky(self) }
    delayedSky = sky
  }

  func writeDelayedSky() {
    guard let sky = exchange(&delayedSky, with: nil), !isClosing else { return }
    if isWriting { return outbox.sky = sky }
    staged.append(sky)
    flush()
  }
}
