import LocationCore

/// When the one line for the service manager is told: when it has changed, and at most once a second.
struct StatusLine {
  /// What to do about a line that may be new.
  enum Action: Hashable {
    case tell(String)
    /// Ask again after that time.
    case wait(Duration)
    case nothing
  }

  private static let pause = Duration.seconds(1)
  private var told: (text: String, at: MonotonicInstant)?

  /// Takes the line as it is now.
  mutating func update(_ text: String, at instant: MonotonicInstant) -> Action {
    guard let told else { return tell(text, at: instant) }
    guard text != told.text else { return .nothing }
    let age = instant - told.at
    return age >= Self.pause ? tell(text, at: instant) : .wait(Self.pause - age)
  }

  private mutating func tell(_ text: String, at instant: MonotonicInstant) -> Action {
    told = (text, instant)
    return .tell(text)
  }
}

extension StatusLine {
  /// The leading source and what it delivers, for a person.
  static func text(source: String, device: String, state: SourceState) -> String {
    switch state {
    case .tracking(let mode): "\(mode.rawValue)D fix from \(source) (\(device))"
    case .lost: "fix lost, \(source) (\(device)) is waited for"
    case .acquiring: "no fix yet from \(source) (\(device))"
    case .failed(let error, _): "no fix: \(error); \(error.remedy)"
    case .idle, .opening: "\(source) (\(device)) is \(state.phase.rawValue)"
    }
  }
}

extension EngineHost {
  /// The line for the service manager.
  var statusLine: String {
    StatusLine.text(source: lead.name, device: lead.uri.device, state: engine.supervisor.leadState)
  }
}
