/// Brings a receiver into the wanted state: asks what it is, reads each setting, sends what differs, and reads it back.
/// Bytes and instants go in, bytes to write and line speeds come out. A setting that is refused or not answered is
/// skipped. Nothing is stored permanently in the receiver.
package struct ReceiverSetup: Sendable {
  /// What the owner of the line has to do, in order.
  package enum Action: Hashable, Sendable {
    case write([UInt8])
    /// Change the speed of the line, bit/s.
    case setSpeed(Int)
    /// The set-up is over; `status` is final.
    case finish
  }

  private enum State {
    case idle
    /// The query of `ReceiverDialect.identification` with this number is sent; they go round twice.
    case identifying(Int)
    case readingPort(attempt: Int)
    case reading(attempt: Int, isAfterWriting: Bool)
    case writing(attempt: Int)
    /// The command for another speed leaves the line.
    case changingSpeed
    /// Asks at the line's speed, next at those in `left`. More than so many sentences show a mute receiver as well.
    case findingSpeed(attempt: Int, left: [Int], sentences: Int)
    case finished
  }

  /// Time for an answer, which may wait behind a second of sentences.
  static let timeout = Duration.milliseconds(1200)
  private static let attempts = 3

  package private(set) var status = ReceiverStatus()
  /// The instant at which `expire` has an effect; `nil` when the set-up is over.
  package private(set) var deadline: MonotonicInstant?
  /// Speed of the line, bit/s.
  package private(set) var lineSpeed: Int
  private let wish: ReceiverWish
  private let isUSB: Bool
  private let applies: Bool
  private let speeds: [Int]
  private var state = State.idle
  private var answers = ReceiverAnswers()
  private var dialect = ReceiverDialect.ublox
  private var index = 0
  private var port = 1
  /// The answer from which the setting in progress was read.
  private var read: ReceiverAnswer?
  private var speedBefore = 0
  /// The instant from which on sentences are of the line's new speed: some may have been on their way.
  private var newSpeedBegin = MonotonicInstant.zero
  /// Whether the model in progress is the substitute for a refused one.
  private var isSubstitute = false

  /// A set-up of a receiver.
  /// - Parameters:
  ///   - lineSpeed: Speed at which its sentences arrive, bit/s.
  ///   - isUSB: Whether the speed has no effect.
  ///   - applies: Whether to send what differs, or only to read.
  ///   - speeds: The speeds at which to look for the receiver when it does not answer at a new one.
  package init(_ wish: ReceiverWish, lineSpeed: Int, isUSB: Bool, applies: Bool, speeds: [Int]) {
    self.wish = wish
    self.lineSpeed = lineSpeed
    self.isUSB = isUSB
    self.applies = applies
    self.speeds = speeds
  }

  package var isFinished: Bool { if case .finished = state { true } else { false } }

  package mutating func start(at instant: MonotonicInstant) -> [Action] {
    guard case .idle = state else { return [] }
    return identify(0, at: instant)
  }

  package mutating func receive(_ bytes: UnsafeRawBufferPointer, at instant: MonotonicInstant) -> [Action] {
    if case .finished = state { return [] }
    var actions: [Action] = []
    for answer in answers.receive(bytes) { actions += take(answer, at: instant) }
    if case .findingSpeed(let attempt, let left, _) = state, instant < newSpeedBegin {
      state = .findingSpeed(attempt: attempt, left: left, sentences: answers.sentences)
    }
    return actions
  }

  /// Processes the end of the time for an answer.
  package mutating func expire(at instant: MonotonicInstant) -> [Action] {
    guard let deadline, instant >= deadline else { return [] }
    switch state {
    case .idle, .finished: return []
    case .identifying(let query): return identify(query + 1, at: instant)
    case .readingPort(let attempt):
      guard attempt < Self.attempts else { return begin(0, at: instant) }
      return ask(.speed, .readingPort(attempt: attempt + 1), at: instant)
    case .reading(let attempt, let isAfterWriting):
      guard attempt < Self.attempts else { return conclude(.unanswered, at: instant) }
      return ask(setting.name, .reading(attempt: attempt + 1, isAfterWriting: isAfterWriting), at: instant)
    case .writing(let attempt):
      // The acknowledgement may be lost and the setting made.
      if dialect.query(setting.name) != nil {
        return ask(setting.name, .reading(attempt: attempt, isAfterWriting: true), at: instant)
      }
      return attempt < Self.attempts ? write(attempt: attempt + 1, at: instant) : conclude(.unanswered, at: instant)
    case .changingSpeed:
      let others = speeds.filter { $0 != setting.wanted && $0 != speedBefore }
      return look(at: setting.wanted, left: [speedBefore, setting.wanted, speedBefore] + others, at: instant)
    case .findingSpeed(let attempt, let left, let sentences):
      if attempt < 2 {
        return ask(.speed, .findingSpeed(attempt: attempt + 1, left: left, sentences: sentences), at: instant)
      }
      if answers.sentences > sentences { return didFindSpeed(at: instant) }
      guard let next = left.first else {
        status.phase = .lost
        status.settings[index].outcome = .unanswered
        return finish()
      }
      return look(at: next, left: Array(left.dropFirst()), at: instant)
    }
  }

  // MARK: - Steps

  private var setting: ReceiverStatus.Setting { status.settings[index] }

  private mutating func identify(_ query: Int, at instant: MonotonicInstant) -> [Action] {
    let queries = ReceiverDialect.identification
    guard query < 2 * queries.count else {
      status.phase = .unsupported
      return finish()
    }
    return send(queries[query % queries.count], .identifying(query), at: instant)
  }

  private mutating func didIdentify(_ identity: ReceiverIdentity, at instant: MonotonicInstant) -> [Action] {
    status.identity = identity
    status.phase = .running
    for name in ReceiverSetting.allCases {
      let wanted: Int? =
        switch name {
        case .speed: isUSB ? nil : wish.speed(of: lineSpeed)
        case .period: wish.rate.map { 1000 / $0 }
        case .navigation: dialect.hasNavigationRatio ? wish.rate.map { _ in 1 } : nil
        case .model: wish.model.map { dialect.number(of: $0).first }
        case .accuracy: wish.accuracy.map { $0 ? 1 : 0 }
        }
      if let wanted { status.settings.append(ReceiverStatus.Setting(name: name, wanted: wanted)) }
    }
    guard case .ublox = dialect else { return begin(0, at: instant) }
    return ask(.speed, .readingPort(attempt: 1), at: instant)
  }

  private mutating func begin(_ next: Int, at instant: MonotonicInstant) -> [Action] {
    index = next
    read = nil
    isSubstitute = false
    guard index < status.settings.count else {
      status.phase = .done
      return finish()
    }
    if dialect.query(setting.name) == nil { return change(at: instant) }
    return ask(setting.name, .reading(attempt: 1, isAfterWriting: false), at: instant)
  }

  private mutating func conclude(_ outcome: ReceiverStatus.Outcome, at instant: MonotonicInstant) -> [Action] {
    if outcome == .refused, setting.name == .model, !isSubstitute, applies, let model = wish.model,
      let substitute = dialect.number(of: model).substitute
    {
      isSubstitute = true
      status.settings[index].wanted = substitute
      if setting.current != substitute { return change(at: instant) }
      return conclude(.same, at: instant)
    }
    status.settings[index].outcome = outcome
    return begin(index + 1, at: instant)
  }

  private mutating func change(at instant: MonotonicInstant) -> [Action] {
    let command = dialect.command(setting.name, setting.wanted, read: read)
    status.settings[index].command = command
    guard !command.isEmpty else { return conclude(.unanswered, at: instant) }
    return applies ? write(attempt: 1, at: instant) : conclude(.planned, at: instant)
  }

  private mutating func write(attempt: Int, at instant: MonotonicInstant) -> [Action] {
    let command = setting.command
    guard setting.name == .speed else { return send(command, .writing(attempt: attempt), at: instant) }
    let actions = send(command, .changingSpeed, at: instant)
    speedBefore = lineSpeed
    let transmission = Duration.nanoseconds(Int64(command.count) * 10_000_000_000 / Int64(max(lineSpeed, 1)))
    deadline = instant + transmission + .milliseconds(150)
    return actions
  }

  private mutating func look(at speed: Int, left: [Int], at instant: MonotonicInstant) -> [Action] {
    lineSpeed = speed
    newSpeedBegin = instant + .milliseconds(200)
    answers.removeAll()
    return [.setSpeed(speed)]
      + ask(.speed, .findingSpeed(attempt: 1, left: left, sentences: answers.sentences), at: instant)
  }

  private mutating func didFindSpeed(at instant: MonotonicInstant) -> [Action] {
    status.settings[index].current = lineSpeed
    return conclude(lineSpeed == setting.wanted ? .set : .refused, at: instant)
  }

  private mutating func ask(_ name: ReceiverSetting, _ next: State, at instant: MonotonicInstant) -> [Action] {
    send(dialect.query(name) ?? [], next, at: instant)
  }

  private mutating func send(_ bytes: [UInt8], _ next: State, at instant: MonotonicInstant) -> [Action] {
    state = next
    deadline = instant + Self.timeout
    return [.write(bytes)]
  }

  private mutating func finish() -> [Action] {
    state = .finished
    deadline = nil
    return [.finish]
  }

  // MARK: - Answers

  private mutating func take(_ answer: ReceiverAnswer, at instant: MonotonicInstant) -> [Action] {
    func value(of name: ReceiverSetting) -> Int? {
      dialect.value(of: name, in: answer, port: port, lineSpeed: lineSpeed)
    }
    switch state {
    case .idle, .finished: return []
    case .identifying:
      guard let (dialect, identity) = ReceiverDialect.identify(answer, isUSB: isUSB) else { return [] }
      self.dialect = dialect
      return didIdentify(identity, at: instant)
    case .readingPort:
      guard value(of: .speed) != nil, case .ubx(_, _, let payload) = answer else { return [] }
      port = min(Int(payload[0]), 5)
      return begin(0, at: instant)
    case .reading(let attempt, let isAfterWriting):
      if let value = value(of: setting.name) {
        read = answer
        status.settings[index].current = value
        if value == setting.wanted { return conclude(isAfterWriting ? .set : .same, at: instant) }
        guard isAfterWriting else { return change(at: instant) }
        return attempt < 2 ? write(attempt: attempt + 1, at: instant) : conclude(.refused, at: instant)
      }
      guard let query = dialect.query(setting.name), dialect.acknowledges(answer, of: query) == false else { return [] }
      return conclude(.refused, at: instant)
    case .writing(let attempt):
      switch dialect.acknowledges(answer, of: setting.command) {
      case nil: return []
      case false?: return conclude(.refused, at: instant)
      case true?:
        guard dialect.query(setting.name) != nil else { return conclude(.acknowledged, at: instant) }
        return ask(setting.name, .reading(attempt: attempt, isAfterWriting: true), at: instant)
      }
    case .changingSpeed:
      guard dialect.acknowledges(answer, of: setting.command) == false else { return [] }
      return conclude(.refused, at: instant)
    case .findingSpeed:
      guard value(of: .speed) != nil else { return [] }
      return didFindSpeed(at: instant)
    }
  }
}
