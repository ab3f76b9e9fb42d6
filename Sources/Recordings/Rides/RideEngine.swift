import GPSDProtocol
import LocationCore

/// The engine of a ride: recorded inputs in, moments out.
struct RideEngine: ~Copyable, Sendable {
  private static let setup = SourceSetup(
    id: 0, form: .either, configuration: ReceiverConfiguration(readsSatellites: false))

  private var engine = LocationEngine(sources: [setup], at: .zero)
  private var sources = RecordedSources(setup)
  private var events = EngineEvents()
  private var hasBegun = false
  /// The way to the next fix is unknown.
  private var isApart = true
  private var hasFix = false
  /// Stops and starts since the newest fix, which the next one has.
  private var changes: FixChanges = []
  /// The number before that of the run's first fix.
  private var numberBase: UInt64 = 0
  /// What the judges of the runs before counted.
  private var earlier = (outOfOrder: UInt64(0), clockSteps: UInt64(0))

  var outOfOrder: UInt64 { earlier.outOfOrder + (engine.sources.first?.counters.judge.outOfOrder ?? 0) }
  var clockSteps: UInt64 { earlier.clockSteps + (engine.sources.first?.counters.judge.clockSteps ?? 0) }

  /// Inputs of undeclared sources are skipped. A run begins in file number `part`; the one before was interrupted.
  mutating func replay(_ input: RecordedInput, part: Int, into moments: inout [RideMoment]) {
    if case .begin = input.content {
      if hasBegun { moments.append(.interrupted(at: input.instant)) }
      earlier = (outOfOrder, clockSteps)
      engine = LocationEngine(sources: [Self.setup], at: input.instant)
      sources = RecordedSources(Self.setup)
      (hasBegun, isApart, hasFix, changes) = (true, true, false, [])
      numberBase = UInt64(clamping: part) &* TrackFix.numbersPerFile
    }
    switch input.content {
    // A trip of several rides may have begun in an earlier one.
    case .request(.engine(.trip(let trip))) where trip.change == .lap: moments.append(.lap(.request, at: input.instant))
    case .request(.engine(.trip)), .request(.engine(.sensor)): break
    // The rest is no part of a ride.
    case .request(.engine(let request)) where !request.isOfView: return
    default: break
    }
    // What the daemon refused changes nothing.
    try? engine.replay(input, of: &sources, into: &events)
    appendMoments(to: &moments)
  }

  private mutating func appendMoments(to moments: inout [RideMoment]) {
    for entry in events.list {
      switch entry.event {
      case .changed(let published): changes.formUnion(published.changes.intersection([.stopped, .started]))
      case .fix(let published, _, _):
        changes.formUnion(published.changes)
        moments.append(
          .fix(
            TrackFix(
              fix: published.fix, sensed: published.sensed, changes: changes, published: entry.instant,
              source: published.source, seq: published.seq, number: numberBase &+ published.seq,
              beginsSegment: isApart)))
        (changes, isApart, hasFix) = ([], false, true)
      case .fixLost where hasFix:
        hasFix = false
        isApart = true
        moments.append(.lost(at: entry.instant))
      case .lead(let status):
        guard let reason = status.reason else { continue }
        isApart = true
        moments.append(.source(status.source, reason, at: entry.instant))
      case .told(.follow(let state), to: .subscribers): moments.append(.follow(state, at: entry.instant))
      default: break
      }
    }
    events.removeAll()
  }
}
