import LocationCore

/// Keeps the learned circumferences of wheels in the state directory, a line for each, written at most once a minute.
final class WheelKeeper: EngineObserver {
  private static let file = StateFile(name: "wheels", version: 1)
  private static let interval = Duration.seconds(60)

  private let directory: StateDirectory
  private(set) var wheels: [KnownWheels.Wheel]
  private var checked: MonotonicInstant?

  init(in directory: StateDirectory) {
    self.directory = directory
    wheels = directory.readEach(Self.file) { KnownWheels.Wheel(line: $0) } ?? []
  }

  func observe(_ event: EngineEvent, at instant: MonotonicInstant, in engine: borrowing LocationEngine) {
    guard case .fix = event, checked.map({ instant - $0 >= Self.interval }) ?? true else { return }
    checked = instant
    finish(engine)
  }

  func finish(_ engine: borrowing LocationEngine) {
    // Nothing is learned from a replay.
    let learned = engine.desk.knownWheels.learned
    guard engine.lead.setup.isLive, learned.map(\.line) != wheels.map(\.line) else { return }
    wheels = learned
    directory.write(Self.file, learned.map(\.line))
  }
}
