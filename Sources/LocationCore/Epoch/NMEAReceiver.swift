/// One receiver that speaks NMEA 0183: bytes in, exactly one judged outcome per epoch out.
///
/// It reads no clock. Live, give each read burst its instant and call `expire` at `deadline`; in virtual time
/// do the same with the recording's instants.
package struct NMEAReceiver {
  private var decoder: NMEADecoder
  private var pipeline: EpochPipeline
  /// When silence closes the open epoch, or a held suspect has waited long enough; `nil` when neither is
  /// pending.
  package private(set) var deadline: MonotonicInstant?

  /// A receiver that has said nothing yet.
  package init(configuration: ReceiverConfiguration = .init()) {
    decoder = NMEADecoder(checksums: configuration.checksums)
    pipeline = EpochPipeline(configuration)
  }

  /// Takes the bytes of one read, and tells of each epoch that they close.
  package mutating func receive(
    _ bytes: UnsafeRawBufferPointer, at instant: MonotonicInstant, _ body: (borrowing Epoch) -> Void
  ) {
    receive(bytes, at: instant, sentence: { _ in }, body)
  }

  /// Takes the bytes of one read, and shows each sentence and each rejected line before it is used.
  package mutating func receive(
    _ bytes: UnsafeRawBufferPointer, at instant: MonotonicInstant,
    sentence: (borrowing NMEAEvent) -> Void, _ body: (borrowing Epoch) -> Void
  ) {
    defer { deadline = pipeline.deadline }
    guard !bytes.isEmpty else { return pipeline.expire(at: instant, body) }
    pipeline.arrived(at: instant, body)
    Self.decode(bytes, at: instant, &decoder, &pipeline, sentence, body)
  }

  /// Does what is due.
  package mutating func expire(at instant: MonotonicInstant, _ body: (borrowing Epoch) -> Void) {
    pipeline.expire(at: instant, body)
    deadline = pipeline.deadline
  }

  /// Closes the open epoch and lets go what is held: nothing more will come. The next bytes begin a new
  /// stream of the same receiver.
  package mutating func endOfInput(
    at instant: MonotonicInstant, sentence: (borrowing NMEAEvent) -> Void = { _ in },
    _ body: (borrowing Epoch) -> Void
  ) {
    Self.finish(at: instant, &decoder, &pipeline, sentence, body)
    pipeline.endOfInput(body)
    deadline = pipeline.deadline
  }

  /// The time from one epoch to the next on the monotonic clock; `nil` until it is learned.
  package var period: Duration? { pipeline.assembler.rhythm.period.map { .nanoseconds($0) } }

  /// Whether an epoch has a position, or that there is none, and was not told yet.
  package var isEpochOpen: Bool { pipeline.assembler.phase == .open && pipeline.assembler.content.hasSolution }

  /// What has been counted since the receiver was made.
  package var counters: ReceiverCounters {
    var counters = pipeline.counters
    counters.nmea = decoder.counters
    return counters
  }

  private static func decode(
    _ bytes: UnsafeRawBufferPointer, at instant: MonotonicInstant, _ decoder: inout NMEADecoder,
    _ pipeline: inout EpochPipeline, _ sentence: (borrowing NMEAEvent) -> Void,
    _ body: (borrowing Epoch) -> Void
  ) {
    decoder.decode(bytes) { event in
      sentence(event)
      guard case .sentence(let decoded) = event.payload else { return }
      pipeline.take(decoded, from: event.talker, at: instant, body)
    }
  }

  private static func finish(
    at instant: MonotonicInstant, _ decoder: inout NMEADecoder, _ pipeline: inout EpochPipeline,
    _ sentence: (borrowing NMEAEvent) -> Void, _ body: (borrowing Epoch) -> Void
  ) {
    decoder.finish { event in
      sentence(event)
      guard case .sentence(let decoded) = event.payload else { return }
      pipeline.take(decoded, from: event.talker, at: instant, body)
    }
  }
}
