/// Bytes in, one judged outcome per epoch out. It reads no clock: pass each read's instant, `expire` at `deadline`.
package struct NMEAReceiver {
  private var decoder: NMEADecoder
  private var builder: EpochBuilder
  /// When a pause of the line shows whether the frame that has begun is one; `nil` when none has.
  private var frameDeadline: MonotonicInstant?
  /// When silence closes the open epoch, a held suspect is released or a false frame is given up; `nil` if none pends.
  package private(set) var deadline: MonotonicInstant?

  /// Within a burst, bytes are closer together, also through USB adapters, which collect them for 16 ms.
  private static let framePause = Duration.milliseconds(20)

  package init(configuration: ReceiverConfiguration = .init()) {
    decoder = NMEADecoder(checksums: configuration.checksums)
    builder = EpochBuilder(configuration)
  }

  /// Processes the bytes of one read: `body` gets each epoch that they close, `sentence` first each sentence or reject.
  package mutating func receive(
    _ bytes: UnsafeRawBufferPointer, at instant: MonotonicInstant,
    sentence: (borrowing NMEAEvent) -> Void = { _ in }, _ body: (borrowing Epoch) -> Void
  ) {
    guard !bytes.isEmpty else { return expire(at: instant, sentence: sentence, body) }
    builder.arrived(bytes.count, at: instant, body)
    decoder.decode(bytes) { builder.take($0, at: instant, sentence, body) }
    frameDeadline = decoder.isWithinFrame ? instant + Self.framePause : nil
    deadline = builder.deadline.earlier(frameDeadline)
  }

  mutating func setLineSpeed(_ speed: Int?) { builder.assembler.burst.setSpeed(speed) }

  /// Also gives up a frame whose damaged length hides the messages after it.
  package mutating func expire(
    at instant: MonotonicInstant, sentence: (borrowing NMEAEvent) -> Void = { _ in }, _ body: (borrowing Epoch) -> Void
  ) {
    if let due = frameDeadline, due <= instant {
      frameDeadline = nil
      decoder.pause { builder.take($0, at: instant, sentence, body) }
    }
    builder.expire(at: instant, body)
    deadline = builder.deadline.earlier(frameDeadline)
  }

  package mutating func gap(at instant: MonotonicInstant) { builder.gap(at: instant) }

  /// Closes the open epoch and releases a held fix at the end of the input. The next bytes begin a new stream.
  package mutating func endOfInput(
    at instant: MonotonicInstant, sentence: (borrowing NMEAEvent) -> Void = { _ in },
    _ body: (borrowing Epoch) -> Void
  ) {
    decoder.finish { builder.take($0, at: instant, sentence, body) }
    frameDeadline = nil
    builder.endOfInput(body)
    deadline = builder.deadline
  }

  /// The time from one epoch to the next on the monotonic clock; `nil` until it is learned.
  package var period: Duration? { builder.assembler.rhythm.period.map { .nanoseconds($0) } }
  package var isEpochOpen: Bool { builder.assembler.phase == .open && builder.assembler.content.hasSolution }
  package var sentenceCount: UInt64 { decoder.counters.sentences }
  package var frameCount: UInt64 { decoder.counters.ubxFrames }
  var faults: (noise: UInt64, badChecksum: UInt64) { (decoder.counters.noise, decoder.counters.checksum) }
  package var interference: Interference { builder.interference }
  var firstMalformed: UBXType? { builder.firstMalformed }

  package var counters: ReceiverCounters {
    var counters = builder.counters
    counters.nmea = decoder.counters
    return counters
  }
}

extension EpochBuilder {
  @inline(__always)
  fileprivate mutating func take(
    _ event: borrowing NMEAEvent, at instant: MonotonicInstant, _ sentence: (borrowing NMEAEvent) -> Void,
    _ body: (borrowing Epoch) -> Void
  ) {
    sentence(event)
    switch event.payload {
    case .sentence(.other), .sentence(.unknown): interference.take(event.type, event.fields)
    case .sentence(let decoded): take(decoded, from: event.talker, at: instant, body)
    case .ubx: if let frame = UBXFrame(event.raw) { take(frame, at: instant, body) }
    case .rejected, .casic: break
    }
  }
}

package struct ReceiverConfiguration: Hashable, Sendable {
  package var checksums: ChecksumPolicy
  /// Whether a suspected date is moved forward by 1024 weeks until it is no longer before the floor.
  package var snapRollover: Bool
  /// Whether epochs include the satellites in view; fixes alone are faster.
  package var readsSatellites: Bool

  package init(checksums: ChecksumPolicy = .require, snapRollover: Bool = false, readsSatellites: Bool = true) {
    self.checksums = checksums
    self.snapRollover = snapRollover
    self.readsSatellites = readsSatellites
  }

  /// 2026-01-01. Dates before it may be 1024 weeks behind: a live receiver cannot have them, a recording can.
  package static let floorDate = CalendarDate(daysSince1970: 20_454)
  /// Its beginning: a system clock before it is not set.
  package static let floor = UTCInstant(nanosecondsSince1970: Int64(floorDate.daysSince1970) * TimeOfDay.day)
}
