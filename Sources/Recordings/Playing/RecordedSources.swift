import GPSDProtocol
import LocationCore

/// The sources of a recording in an engine, the first in the place of a configured one.
package struct RecordedSources: Sendable {
  /// The client of the recorded requests; connections are numbered from 1.
  static let client = ClientID(0)

  /// Identifiers of the sources of the run at hand; the first one's never changes.
  package private(set) var ids: [SourceID]
  /// The first source as configured. The others differ in their identifiers.
  private var first: SourceSetup
  private let checksums: ChecksumPolicy?
  private let only: Int?
  private var hasBegun = false

  /// Sources in the place of `first`; `checksums` replaces the recorded policy, `only` is the one source to read.
  package init(_ first: SourceSetup, checksums: ChecksumPolicy? = nil, only: Int? = nil) {
    self.first = first
    self.checksums = checksums
    self.only = only
    ids = [first.id]
  }

  /// The identifier of a recorded source; `nil` if it is not read.
  package func id(of source: Int?) -> SourceID? {
    let source = source ?? only ?? 0
    if let only { return source == only ? first.id : nil }
    return ids.indices.contains(source) ? ids[source] : nil
  }

  fileprivate mutating func begin(_ run: RecordedSetup) -> (setups: [SourceSetup], isFirst: Bool) {
    defer { hasBegun = true }
    first.configuration.checksums = checksums ?? run.checksums
    let count = only == nil ? Int32(run.sourceCount) : 1
    ids = (0..<count).map { SourceID(configured: first.id.configured, recorded: $0) }
    return (ids.map(setup), !hasBegun)
  }

  fileprivate mutating func shift(by shift: Duration) { first.timeShift = shift }

  fileprivate func setup(id: SourceID) -> SourceSetup {
    var setup = first
    setup.id = id
    return setup
  }
}

extension LocationEngine {
  /// Takes an input of a recording; one of a source that is not read has no effect. Throws for a wrong request.
  package mutating func replay(
    _ input: RecordedInput, of recorded: inout RecordedSources, into events: inout EngineEvents
  ) throws(RequestRefusal) {
    let instant = input.instant
    switch input.content {
    case .begin(let run): begin(run, of: &recorded, at: instant, into: &events)
    case .end: for id in recorded.ids { receive(.finishEpoch, from: id, at: instant, into: &events) }
    case .restart: restart(recorded, at: instant, into: &events)
    case .gap: for id in recorded.ids { receive(.gap, from: id, at: instant, into: &events) }
    case .shift(let shift):
      recorded.shift(by: shift)
      replace(recorded, at: instant, into: &events) { receiver, setup in receiver.setup.timeShift = shift }
    case .request(let request):
      guard recorded.id(of: input.source) != nil, case .engine(let request) = request else { return }
      try handle(request, from: RecordedSources.client, at: instant, into: &events)
    case .malformedReport, .interference, .otherEvent: break
    case .bytes, .report, .otherReport, .lost, .found:
      if let id = recorded.id(of: input.source) { replay(input.content, from: id, at: instant, into: &events) }
    }
  }

  private mutating func replay(
    _ content: RecordedInput.Content, from id: SourceID, at instant: MonotonicInstant, into events: inout EngineEvents
  ) {
    switch content {
    case .bytes(let bytes): bytes.withUnsafeBytes { receive(.bytes($0), from: id, at: instant, into: &events) }
    case .report(var report, let line):
      report.received(at: instant)
      receive(.opened, from: id, at: instant, into: &events)
      receive(.report(report, isPoint: line.isPoint), from: id, at: instant, into: &events)
    case .otherReport:
      receive(.opened, from: id, at: instant, into: &events)
      receive(.report(nil), from: id, at: instant, into: &events)
    case .lost:
      let device = index(of: id).map { sources[$0].setup.device } ?? ""
      let error = SourceError.unavailable(source: device, reason: "it was lost during the recording")
      receive(.unplugged(error), from: id, at: instant, into: &events)
    case .found: receive(.opened, from: id, at: instant, into: &events)
    default: break
    }
  }

  /// Arranges the sources of a run: the first one continues, the others are new.
  private mutating func begin(
    _ run: RecordedSetup, of recorded: inout RecordedSources, at instant: MonotonicInstant,
    into events: inout EngineEvents
  ) {
    let old = recorded.ids.dropFirst()
    let (setups, isFirst) = recorded.begin(run)
    if isFirst { connect(RecordedSources.client, of: .replay) }
    if !old.isEmpty { rearrange(sources.map(\.setup).filter { !old.contains($0.id) }, at: instant, into: &events) }
    if setups.count > 1, let place = index(of: setups[0].id) {
      var all = sources.map(\.setup)
      all.insert(contentsOf: setups.dropFirst(), at: place + 1)
      rearrange(all, at: instant, into: &events)
    }
    // Beside a receiver the wheel is the rider's own. A recording that says nothing of wheels changes nothing.
    if run.wheels != KnownWheels(), !sources.contains(where: \.setup.isLive) { desk.knownWheels = run.wheels }
    restart(recorded, at: instant, into: &events)
  }

  private mutating func restart(
    _ recorded: RecordedSources, at instant: MonotonicInstant, into events: inout EngineEvents
  ) {
    for id in recorded.ids { receive(.finishEpoch, from: id, at: instant, into: &events) }
    desk.breakPath()
    replace(recorded, at: instant, into: &events) { receiver, setup in receiver = receiver.successor(setup) }
  }

  private mutating func replace(
    _ recorded: RecordedSources, at instant: MonotonicInstant, into events: inout EngineEvents,
    _ body: (inout SourceReceiver, SourceSetup) -> Void
  ) {
    for id in recorded.ids {
      guard var receiver = index(of: id).map({ sources[$0] }) else { continue }
      body(&receiver, recorded.setup(id: id))
      receive(.replaced(receiver), from: id, at: instant, into: &events)
    }
  }

  /// Continues at another position, with new receivers; published as a loss, as the track in between is unknown.
  package mutating func jump(
    in recorded: RecordedSources, at instant: MonotonicInstant, into events: inout EngineEvents
  ) {
    restart(recorded, at: instant, into: &events)
    for id in recorded.ids {
      guard let index = index(of: id) else { continue }
      switch supervisor.states[index].phase {
      case .tracking, .lost:
        let error = SourceError.unavailable(
          source: sources[index].setup.device, reason: "playback continues at another position")
        receive(.unplugged(error), from: id, at: instant, into: &events)
        receive(.opened, from: id, at: instant, into: &events)
      case .idle, .opening, .acquiring, .failed: break
      }
    }
  }
}

/// The receivers of a recording's sources while a position is sought: what precedes it prepares them.
package struct SoughtReceivers: Sendable {
  private var receivers: [SourceReceiver]

  package init(of recorded: RecordedSources, in engine: borrowing LocationEngine) {
    receivers = []
    for id in recorded.ids {
      if let index = engine.index(of: id) { receivers.append(engine.sources[index]) }
    }
  }

  /// Takes an input that precedes the position. Nothing is published.
  package mutating func prime(_ input: RecordedInput, of recorded: RecordedSources) {
    let instant = input.instant
    guard case .gap = input.content else {
      let id = recorded.id(of: input.source)
      guard let index = receivers.firstIndex(where: { $0.setup.id == id }) else { return }
      switch input.content {
      case .bytes(let bytes): bytes.withUnsafeBytes { receivers[index].prime(.bytes($0), at: instant) }
      case .report(var report, _):
        report.received(at: instant)
        receivers[index].prime(.report(report), at: instant)
      default: break
      }
      return
    }
    for index in receivers.indices { receivers[index].prime(.gap, at: instant) }
  }

  /// Puts the receivers into the engine. The epochs that begin from `instant` on are published.
  package consuming func start(
    in engine: inout LocationEngine, at instant: MonotonicInstant, into events: inout EngineEvents
  ) {
    for var receiver in receivers {
      receiver.start(at: instant)
      engine.receive(.replaced(receiver), from: receiver.setup.id, at: instant, into: &events)
    }
  }
}

extension GPSDReport {
  package mutating func received(at instant: MonotonicInstant) {
    guard case .position(var position) = self else { return }
    position.fix?.received = instant
    self = .position(position)
  }
}
