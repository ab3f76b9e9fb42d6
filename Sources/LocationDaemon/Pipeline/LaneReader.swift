import LocationCore
import NIOCore

/// What turns a source's input into epochs: the sentences of a receiver, or the reports of a gpsd.
///
/// A recording may hold either, or both about the same epochs (`gpspipe -r -w`): what comes first is used, so that an
/// epoch gives one fix.
struct LaneReader {
  private enum Kind {
    case nmea
    case gpsd
    /// Of a recording that has said nothing yet.
    case either
  }

  private var kind: Kind
  private var nmea: NMEAReceiver
  private var gpsd: GPSDReceiver
  /// When silence closes the open epoch, or a held suspect has waited long enough. Kept, not computed: it is asked for
  /// in every turn, and to look into the receivers copies them.
  private(set) var deadline: MonotonicInstant?

  /// The reader for what a source sends.
  init(_ uri: SourceURI) {
    let configuration = ReceiverConfiguration(checksums: uri.checksums, snapRollover: uri.snapsRollover)
    nmea = NMEAReceiver(configuration: configuration)
    gpsd = GPSDReceiver(configuration: configuration)
    kind =
      switch uri {
      case .gpsd: .gpsd
      case .recording: .either
      default: .nmea
      }
  }

  /// What was counted while reading.
  var counters: ReceiverCounters {
    switch kind {
    case .nmea, .either: nmea.counters
    case .gpsd: gpsd.counters
    }
  }

  /// From epoch to epoch, once known.
  var period: Duration? {
    switch kind {
    case .nmea, .either: nmea.period
    case .gpsd: gpsd.period
    }
  }

  /// Whether an epoch has begun that was not told yet.
  var isEpochOpen: Bool {
    switch kind {
    case .nmea, .either: nmea.isEpochOpen
    case .gpsd: gpsd.isEpochOpen
    }
  }

  /// Takes the bytes of one read of a receiver.
  mutating func receive(
    _ bytes: UnsafeRawBufferPointer, at instant: MonotonicInstant, _ body: (borrowing Epoch) -> Void
  ) {
    guard takesSentences(bytes) else { return }
    nmea.receive(bytes, at: instant, body)
    deadline = nmea.deadline
  }

  /// Takes the bytes of one read, and appends each accepted sentence with CR LF to `sentences`.
  mutating func receive(
    _ bytes: UnsafeRawBufferPointer, at instant: MonotonicInstant, passing sentences: inout ByteBuffer,
    _ body: (borrowing Epoch) -> Void
  ) {
    guard takesSentences(bytes) else { return }
    nmea.receive(
      bytes, at: instant,
      sentence: { event in
        guard case .sentence = event.payload else { return }
        sentences.writeBytes(event.raw)
        sentences.writeStaticString("\r\n")
      }, body)
    deadline = nmea.deadline
  }

  /// Takes one report of a gpsd.
  mutating func take(_ report: GPSDReport, at instant: MonotonicInstant, _ body: (borrowing Epoch) -> Void) {
    if case .either = kind, case .position = report { kind = .gpsd }
    if case .nmea = kind { return }
    defer { noteDeadline() }
    switch report {
    case .position(let position): gpsd.take(position, at: instant, body)
    case .sky(let device, let sky): gpsd.take(sky, of: device)
    case .noise(let device, let noise): gpsd.take(noise, of: device)
    }
  }

  /// Does what is due.
  mutating func expire(at instant: MonotonicInstant, _ body: (borrowing Epoch) -> Void) {
    defer { noteDeadline() }
    switch kind {
    case .nmea, .either: nmea.expire(at: instant, body)
    case .gpsd: gpsd.expire(at: instant, body)
    }
  }

  /// Closes what is open: nothing more will come.
  mutating func endOfInput(at instant: MonotonicInstant, _ body: (borrowing Epoch) -> Void) {
    defer { noteDeadline() }
    switch kind {
    case .nmea, .either: nmea.endOfInput(at: instant, body)
    case .gpsd: gpsd.endOfInput(body)
    }
  }

  private mutating func noteDeadline() {
    deadline =
      switch kind {
      case .nmea, .either: nmea.deadline
      case .gpsd: gpsd.deadline
      }
  }

  /// Whether sentences are used, decided at the first one.
  private mutating func takesSentences(_ bytes: UnsafeRawBufferPointer) -> Bool {
    switch kind {
    case .nmea: return true
    case .gpsd: return false
    case .either:
      if bytes.contains(UInt8(ascii: "$")) { kind = .nmea }
      return true
    }
  }
}
