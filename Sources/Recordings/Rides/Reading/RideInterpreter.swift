import LocationCore

/// Makes of a recording's bytes and events what happened on the ride. Pure, of bounded memory.
///
/// It runs the code of the road: receivers, judges, and the supervisor that says which source leads. What it hands
/// out is what the daemon published, before any distance filter.
struct RideInterpreter: Sendable {
  /// Sources without a `device` line in the header beyond so many are passed by.
  static let undeclaredSources = 4

  /// Bursts of sources that nobody declared.
  private(set) var passedBy = 0

  private var configuration = ReceiverConfiguration(readsSatellites: false)
  private var lanes: [RideLane] = []
  private var supervisor = SourceSupervisor(count: 1, at: .zero)
  private var handover = Handover()
  private var seq: UInt64 = 0
  /// The way to the next fix is not known.
  private var isApart = true
  private var hasFix = false

  /// Nothing was read.
  init() {}

  /// The recorder was started; `devices` is how many sources its header names, if any.
  mutating func begin(devices: Int, checksums: ChecksumPolicy, at instant: MonotonicInstant) {
    configuration.checksums = checksums
    let count = devices > 0 ? devices : Self.undeclaredSources
    lanes = Array(repeating: RideLane(configuration), count: count)
    supervisor = SourceSupervisor(count: count, at: instant)
    handover = Handover()
    seq = 0
    isApart = true
    hasFix = false
  }

  /// Takes the bytes of one read.
  mutating func take(
    _ bytes: [UInt8], from source: Int, at instant: MonotonicInstant, into moments: inout [RideMoment]
  ) {
    guard lanes.indices.contains(source) else {
      passedBy += 1
      return
    }
    expire(before: instant, into: &moments)
    open(source, at: instant, into: &moments)
    supervisor.bytes(source, at: instant)
    lanes[source].receive(bytes, at: instant)
    takeClosed(of: source, at: instant, into: &moments)
  }

  /// Takes an event.
  mutating func take(_ event: RecordedEvent, at instant: MonotonicInstant, into moments: inout [RideMoment]) {
    expire(before: instant, into: &moments)
    let source = event.stamp?.source ?? 0
    if event.json == RecordedEvent.sourceLost {
      guard lanes.indices.contains(source) else { return }
      lanes[source].endOfInput(at: instant)
      takeClosed(of: source, at: instant, into: &moments)
      guard lanes[source].isOpen else { return }
      lanes[source].isOpen = false
      perform(
        supervisor.unplugged(source, .unavailable(source: "", reason: ""), at: instant), at: instant, into: &moments)
    } else if event.json == RecordedEvent.sourceFound {
      if lanes.indices.contains(source) { open(source, at: instant, into: &moments) }
    } else {
      moments.append(.event(event, at: instant))
    }
  }

  /// Nothing more comes of this run of the recorder.
  mutating func end(at instant: MonotonicInstant, into moments: inout [RideMoment]) {
    expire(before: instant, into: &moments)
    for index in lanes.indices {
      lanes[index].endOfInput(at: instant)
      takeClosed(of: index, at: instant, into: &moments)
    }
  }

  private mutating func open(_ index: Int, at instant: MonotonicInstant, into moments: inout [RideMoment]) {
    guard !lanes[index].isOpen else { return }
    lanes[index].isOpen = true
    if case .idle = supervisor.states[index] {
      perform(supervisor.opening(index, at: instant), at: instant, into: &moments)
    }
    perform(supervisor.opened(index, at: instant), at: instant, into: &moments)
  }

  /// Does what is due until then, each at its own time.
  private mutating func expire(before instant: MonotonicInstant, into moments: inout [RideMoment]) {
    // The bound holds even if a deadline were not to move on.
    for _ in 0..<1024 {
      var due = supervisor.deadline
      for index in lanes.indices {
        guard let deadline = lanes[index].deadline else { continue }
        due = due.map { min($0, deadline) } ?? deadline
      }
      guard let due, due <= instant else { return }
      for index in lanes.indices {
        guard let deadline = lanes[index].deadline, deadline <= due else { continue }
        lanes[index].expire(at: due)
        takeClosed(of: index, at: due, into: &moments)
      }
      perform(supervisor.expire(at: due), at: due, into: &moments)
    }
  }

  private mutating func takeClosed(of index: Int, at instant: MonotonicInstant, into moments: inout [RideMoment]) {
    guard !lanes[index].closed.isEmpty else { return }
    var closed: [Epoch] = []
    swap(&closed, &lanes[index].closed)
    for epoch in closed {
      switch epoch.outcome {
      case .fix(let fix, let suspect):
        perform(supervisor.epoch(index, fix: fix.mode, at: instant), at: instant, into: &moments)
        guard supervisor.lead == index, handover.passes(fix.measured, source: index) else { continue }
        seq += 1
        moments.append(
          .fix(RiddenFix(fix: fix, isSuspect: suspect, source: index, seq: seq, beginsSegment: isApart)))
        isApart = false
        hasFix = true
      case .noFix: perform(supervisor.epoch(index, fix: nil, at: instant), at: instant, into: &moments)
      case .held: perform(supervisor.held(index, at: instant), at: instant, into: &moments)
      case .dropped: break
      }
    }
    closed.removeAll(keepingCapacity: true)
    swap(&closed, &lanes[index].closed)
  }

  private mutating func perform(
    _ actions: [SupervisorAction], at instant: MonotonicInstant, into moments: inout [RideMoment]
  ) {
    for action in actions {
      switch action {
      case .lead(_, let index, let reason):
        isApart = true
        moments.append(.source(index, reason, at: instant))
      case .state(let index, let state):
        switch state {
        case .lost, .failed, .idle:
          guard index == supervisor.lead, hasFix else { continue }
          hasFix = false
          isApart = true
          moments.append(.lost(at: instant))
        case .opening, .acquiring, .tracking: break
        }
      }
    }
  }
}
