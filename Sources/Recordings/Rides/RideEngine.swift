import GPSDProtocol
import LocationCore

/// The engine of a ride: recorded inputs in, moments out.
struct RideEngine: ~Copyable, Sendable {
  private static let client = ClientID(0)

  private var engine = LocationEngine(sources: [SourceSetup(id: 0)], at: .zero)
  private var events = EngineEvents()
  private var sourceCount = 0
  /// The way to the next fix is unknown.
  private var isApart = true
  private var hasFix = false
  /// The number before that of the run's first fix.
  private var numberBase: UInt64 = 0

  /// A run of the recorder begins in the file of that number; the run before it was interrupted.
  mutating func begin(
    _ setup: RecordedSetup, part: Int, at instant: MonotonicInstant, into moments: inout [RideMoment]
  ) {
    if sourceCount > 0 { moments.append(.interrupted(at: instant)) }
    sourceCount = setup.sourceCount
    engine = LocationEngine(sources: setup.sources(readsSatellites: false), at: instant)
    try? engine.handle(.connected(peer: .recording), from: Self.client, at: instant, into: &events)
    isApart = true
    hasFix = false
    numberBase = UInt64(clamping: part) &* TrackFix.numbersPerFile
  }

  /// Takes an input. Those of a source that the header does not declare are skipped.
  mutating func take(_ input: RecordedInput, into moments: inout [RideMoment]) {
    engine.take(input, sources: 0..<sourceCount, client: Self.client, into: &events)
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

extension LocationEngine {
  /// Takes a recorded input other than the beginning of a run. `sources` are the run's; an input of a source beyond them is
  /// skipped. Requests are those of `client`.
  package mutating func take(
    _ input: RecordedInput, sources: Range<Int>, client: ClientID, into events: inout EngineEvents
  ) {
    let source = sources.lowerBound + input.source
    let instant = input.instant
    switch input.content {
    case .begin, .malformedReport: break
    case .end:
      advance(to: instant, into: &events)
      for source in sources { receive(.finishEpoch, from: source, at: instant, into: &events) }
    case .gap: for source in sources { receive(.gap, from: source, at: instant, into: &events) }
    case .bytes(let bytes):
      bytes.withUnsafeBytes { receive(.bytes($0), from: source, at: instant, into: &events) }
    case .report(let report, _):
      receive(.opened, from: source, at: instant, into: &events)
      receive(.report(report), from: source, at: instant, into: &events)
    case .otherReport: break
    case .lost:
      let error = SourceError.unavailable(source: "", reason: "it was lost during the recording")
      receive(.unplugged(error), from: source, at: instant, into: &events)
    case .found: receive(.opened, from: source, at: instant, into: &events)
    case .request(let request):
      // What the daemon refused changes nothing.
      if let request = EngineRequest(request) { try? handle(request, from: client, at: instant, into: &events) }
    }
  }
}
