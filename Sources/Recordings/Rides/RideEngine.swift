import GPSDProtocol
import LocationCore

/// The engine of a ride: recorded bytes and events in, moments out.
struct RideEngine: ~Copyable, Sendable {
  /// Sources that are read when the header names none.
  static let undeclaredSources = 4

  private static let client = ClientID(0)

  private var engine = LocationEngine(sources: [SourceSetup(id: 0)], at: .zero)
  private var events = EngineEvents()
  private var sourceCount = 0
  /// The way to the next fix is unknown.
  private var isApart = true
  private var hasFix = false
  /// The number before that of the run's first fix.
  private var numberBase: UInt64 = 0

  /// The recorder started in the file of that number; `devices` is the number of sources its header names.
  mutating func begin(part: Int, devices: Int, checksums: ChecksumPolicy, at instant: MonotonicInstant) {
    sourceCount = devices > 0 ? devices : Self.undeclaredSources
    let configuration = ReceiverConfiguration(checksums: checksums, readsSatellites: false)
    engine = LocationEngine(
      sources: (0..<sourceCount).map { SourceSetup(id: $0, form: .either, configuration: configuration) }, at: instant)
    try? engine.handle(.connected(peer: .recording), from: Self.client, at: instant, into: &events)
    isApart = true
    hasFix = false
    numberBase = UInt64(clamping: part) &* TrackFix.numbersPerFile
  }

  /// Takes the bytes of one read. Bytes of a source that the header does not declare are skipped.
  mutating func take(
    _ bytes: [UInt8], from source: Int, at instant: MonotonicInstant, into moments: inout [RideMoment]
  ) {
    bytes.withUnsafeBytes { bytes in
      RecordedPiece.forEach(of: bytes, at: instant) { piece in
        switch piece {
        case .sentences(let sentences): engine.receive(.bytes(sentences), from: source, at: instant, into: &events)
        case .report(let report, _):
          engine.receive(.opened, from: source, at: instant, into: &events)
          engine.receive(.report(report), from: source, at: instant, into: &events)
        case .otherReport, .malformedReport: break
        }
      }
    }
    take(into: &moments)
  }

  /// The time since the previous input is unknown.
  mutating func gap(at instant: MonotonicInstant) {
    for source in 0..<sourceCount { engine.receive(.gap, from: source, at: instant, into: &events) }
  }

  /// Takes a recorded event.
  mutating func take(_ event: RecordedEvent, at instant: MonotonicInstant, into moments: inout [RideMoment]) {
    let source = event.stamp?.source ?? 0
    if event.json == RecordedEvent.sourceLost {
      let error = SourceError.unavailable(source: "", reason: "it was lost during the recording")
      engine.receive(.unplugged(error), from: source, at: instant, into: &events)
    } else if event.json == RecordedEvent.sourceFound {
      engine.receive(.opened, from: source, at: instant, into: &events)
    } else if let request = Request(recorded: event.json).flatMap({ EngineRequest($0) }) {
      // What the daemon refused changes nothing.
      try? engine.handle(request, from: Self.client, at: instant, into: &events)
    }
    take(into: &moments)
  }

  /// The recorder stopped.
  mutating func end(at instant: MonotonicInstant, into moments: inout [RideMoment]) {
    engine.advance(to: instant, into: &events)
    for source in 0..<sourceCount { engine.receive(.finishEpoch, from: source, at: instant, into: &events) }
    take(into: &moments)
  }

  private mutating func take(into moments: inout [RideMoment]) {
    for entry in events.list {
      switch entry.event {
      case .fix(let published, _, _):
        moments.append(
          .fix(
            TrackFix(
              fix: published.fix, changes: published.changes, source: published.source, seq: published.seq,
              number: numberBase &+ published.seq, beginsSegment: isApart)))
        isApart = false
        hasFix = true
      case .fixLost where hasFix:
        hasFix = false
        isApart = true
        moments.append(.lost(at: entry.instant))
      case .lead(let status):
        guard let reason = status.reason else { continue }
        isApart = true
        moments.append(.source(status.source, reason, at: entry.instant))
      case .follow(let state): moments.append(.follow(state, at: entry.instant))
      default: break
      }
    }
    events.removeAll()
  }
}
