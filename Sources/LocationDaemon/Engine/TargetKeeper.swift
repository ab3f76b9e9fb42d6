import GPSDProtocol
import LocationCore

/// Keeps the persistent targets in the state directory: a line for each, `USER STATE REQUEST`, with the number of the
/// user for whom it counts, or `-`, its state, so that no arrival is reported twice, and the request as in a recording.
package final class TargetKeeper: EngineObserver {
  private static let file = StateFile(name: "targets", version: 1)

  private let directory: StateDirectory
  private var lines: [String] = []

  init(_ directory: StateDirectory) { self.directory = directory }

  package func restore(into loop: EngineLoop, recording rides: RideObserver) {
    var names: Set<String> = []
    let kept = directory.readEach(Self.file) { line in
      PersistentTarget(kept: line).flatMap { names.insert($0.target.name).inserted ? $0 : nil }
    }
    guard let kept else { return }
    lines = kept.map(\.line)
    loop.turn { instant in
      loop.engine.desk.targets.restore(kept)
      for kept in kept { rides.record(kept.request, at: instant) }
    }
  }

  package func observe(_ event: EngineEvent, at instant: MonotonicInstant, in engine: borrowing LocationEngine) {
    switch event {
    case .told(.arrival, _), .told(.targetRemoved, _): break
    default: return
    }
    let current = engine.desk.targets.persistent.map(\.line)
    guard current != lines else { return }
    lines = current
    directory.write(Self.file, current)
  }
}

extension PersistentTarget {
  fileprivate var request: Request {
    .engine(
      .setTarget(
        TargetRequest(name: target.name, position: target.coordinate, radius: target.radius, isPersistent: true)))
  }

  fileprivate var line: String {
    "\(user.map { "\($0)" } ?? "-") \(state.rawValue) \(String(decoding: request.recorded, as: UTF8.self))"
  }

  fileprivate init?(kept line: Substring) {
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count == 3, let state = ArrivalState(rawValue: String(words[1])),
      case .engine(.setTarget(let request))? = Request(recorded: Array(words[2].utf8)),
      let target = try? Target(
        name: request.name, coordinate: request.position, radius: request.radius ?? Target.standardRadius)
    else { return nil }
    let user = UInt32(words[0])
    guard user != nil || words[0] == "-" else { return nil }
    self.init(target: target, user: user, state: state)
  }
}
