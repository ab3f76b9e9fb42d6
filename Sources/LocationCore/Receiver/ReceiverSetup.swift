/// Brings a receiver into the wanted state: asks what it is, reads each setting, sends what differs, and reads it back.
/// Bytes and instants go in, bytes to write and line speeds come out. A setting that is refused or not answered is
/// skipped. Nothing is stored permanently in the receiver.
package struct ReceiverSetup: Sendable {
  private typealias Step = ReceiverWish.Step

  private enum State {
    case idle
    /// The query of `ReceiverDialect.identification` with this number is sent; they go round twice.
    case identifying(Int)
    /// Its port, or its name where the version lacks it.
    case readingPort(attempt: Int)
    case reading(attempt: Int, isAfterWriting: Bool)
    case writing(attempt: Int)
    /// The command for another speed leaves the line.
    case changingSpeed
    /// Asks at the line's speed, next at those in `left`. More than so many messages show a mute receiver as well.
    case findingSpeed(attempt: Int, left: [Int], messages: Int)
    /// Waits for this many epochs in UBX.
    case proving(left: Int)
    case aiding
    case finished
  }

  /// A part of the set-up, up to the last setting in the queue. UBX takes `line`, `trial`, `alone` and `rest`; NMEA, or
  /// the return to it, `sentences` and `rest`.
  private enum Stage {
    /// Room on the line.
    case line
    /// The messages of an epoch are added to the sentences.
    case trial([ReceiverSetting])
    /// The sentences end.
    case alone
    /// The sentences are on.
    case sentences
    case rest
  }

  /// Time for an answer, which may wait behind a second of sentences.
  static let timeout = Duration.milliseconds(1200)
  private static let attempts = 3
  /// Time for two epochs in UBX, or for those that show a setting.
  private static let proofTimeout = Duration.seconds(5)

  package private(set) var status = ReceiverStatus()
  /// The instant at which `expire` has an effect; `nil` when the set-up is over.
  package private(set) var deadline: MonotonicInstant?
  /// Speed of the line, bit/s.
  package private(set) var lineSpeed: Int
  private let wish: ReceiverWish
  private let isUSB: Bool
  private let applies: Bool
  /// Whether the owner is asked to help the receiver.
  private var isAided: Bool
  private let speeds: [Int]
  private var state = State.idle
  private var answers = ReceiverAnswers()
  package private(set) var dialect = ReceiverDialect.ublox
  private var stage = Stage.line
  private var queue: [Step] = []
  private var step = Step(name: .speed, wanted: 0)
  /// Index of the setting in progress.
  private var index = 0
  /// The newest epoch in UBX, its time of week in milliseconds, and the time from the one before.
  private var epoch: (time: Int, period: Int?)?
  private var watch = EpochWatch()
  /// Whether messages of an epoch were switched on.
  private var hasTriedUBX = false
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
  ///   - isAided: Whether the owner helps the receiver to its first fix as soon as there is room on the line.
  ///   - speeds: The speeds at which to look for the receiver when it does not answer at a new one.
  package init(_ wish: ReceiverWish, lineSpeed: Int, isUSB: Bool, applies: Bool, isAided: Bool = false, speeds: [Int]) {
    self.wish = wish
    self.lineSpeed = lineSpeed
    self.isUSB = isUSB
    self.applies = applies
    self.isAided = isAided && applies
    self.speeds = speeds
  }

  package var isFinished: Bool { if case .finished = state { true } else { false } }

  package mutating func start(at instant: MonotonicInstant) -> [ReceiverAction] {
    guard case .idle = state else { return [] }
    return identify(0, at: instant)
  }

  /// Continues after `aid`.
  package mutating func proceed(at instant: MonotonicInstant) -> [ReceiverAction] {
    if case .aiding = state { endStage(at: instant) } else { [] }
  }

  package mutating func receive(_ bytes: UnsafeRawBufferPointer, at instant: MonotonicInstant) -> [ReceiverAction] {
    if case .finished = state { return [] }
    var actions: [ReceiverAction] = []
    for answer in answers.receive(bytes) {
      if let time = ReceiverDialect.epoch(of: answer), time != epoch?.time {
        epoch = (time, epoch.flatMap { (20...10_000).contains(time - $0.time) ? time - $0.time : $0.period })
        actions += takeEpoch(at: instant)
      }
      if case .sentence(let fields) = answer, watch.take(fields, at: instant) { actions += takeSentences(at: instant) }
      actions += answered(answer, at: instant)
    }
    if case .findingSpeed(let attempt, let left, _) = state, instant < newSpeedBegin {
      state = .findingSpeed(attempt: attempt, left: left, messages: answers.messages)
    }
    return actions
  }

  /// Processes the end of the time for an answer.
  package mutating func expire(at instant: MonotonicInstant) -> [ReceiverAction] {
    guard let deadline, instant >= deadline else { return [] }
    switch state {
    case .idle, .aiding, .finished: return []
    case .identifying(let query): return identify(query + 1, at: instant)
    case .readingPort(let attempt):
      guard attempt < Self.attempts, dialect.isUblox else { return advance(at: instant) }
      return ask(.speed, .readingPort(attempt: attempt + 1), at: instant)
    case .reading(let attempt, let isAfterWriting) where dialect.isSeenInEpochs(setting.name):
      guard isAfterWriting else { return change(at: instant) }
      return attempt < 2
        ? write(attempt: attempt + 1, at: instant) : conclude(setting.current == nil ? .sent : .refused, at: instant)
    case .reading where dialect.check(setting.name) != nil: return conclude(.sent, at: instant)
    case .reading(let attempt, let isAfterWriting):
      guard attempt < Self.attempts else { return conclude(.unanswered, at: instant) }
      return ask(setting.name, .reading(attempt: attempt + 1, isAfterWriting: isAfterWriting), at: instant)
    case .writing(let attempt) where !dialect.hasAcknowledgements:
      guard let check = dialect.check(setting.name) else { return conclude(.sent, at: instant) }
      return send(check, .reading(attempt: attempt, isAfterWriting: true), at: instant)
    case .writing(let attempt):
      // The acknowledgement may be lost and the setting made.
      if dialect.query(setting.name) != nil {
        return ask(setting.name, .reading(attempt: attempt, isAfterWriting: true), at: instant)
      }
      return attempt < Self.attempts ? write(attempt: attempt + 1, at: instant) : conclude(.unanswered, at: instant)
    case .proving: return returnToSentences(at: instant)
    case .changingSpeed:
      let others = speeds.filter { $0 != setting.wanted && $0 != speedBefore }
      return look(at: setting.wanted, left: [speedBefore, setting.wanted, speedBefore] + others, at: instant)
    case .findingSpeed(let attempt, let left, let messages):
      if attempt < 2 {
        return ask(.speed, .findingSpeed(attempt: attempt + 1, left: left, messages: messages), at: instant)
      }
      if answers.messages > messages { return didFindSpeed(at: instant) }
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

  private mutating func identify(_ query: Int, at instant: MonotonicInstant) -> [ReceiverAction] {
    let queries = ReceiverDialect.identification
    guard query < 2 * queries.count else {
      status.phase = .unsupported
      return finish()
    }
    return send(queries[query % queries.count], .identifying(query), at: instant)
  }

  private mutating func didIdentify(_ identity: ReceiverIdentity, at instant: MonotonicInstant) -> [ReceiverAction] {
    status.identity = identity
    status.phase = .running
    let output = dialect.isUblox && wish.prefersUBX ? ReceiverWish.Output.ubx : .nmea
    if let speed = speed(for: output) { queue.append(Step(name: .speed, wanted: speed)) }
    if let query = dialect.nameQuery { return send(query, .readingPort(attempt: 1), at: instant) }
    guard case .ublox = dialect else { return advance(at: instant) }
    return ask(.speed, .readingPort(attempt: 1), at: instant)
  }

  private func speed(for output: ReceiverWish.Output) -> Int? {
    isUSB ? nil : wish.speed(of: lineSpeed, for: output, isUblox: dialect.isUblox)
  }

  private mutating func advance(at instant: MonotonicInstant) -> [ReceiverAction] {
    read = nil
    isSubstitute = false
    guard !queue.isEmpty else { return endStage(at: instant) }
    step = queue.removeFirst()
    if let known = status.settings.firstIndex(where: { $0.name == step.name }) {
      index = known
      status.settings[known].wanted = step.wanted
    } else {
      index = status.settings.count
      status.settings.append(ReceiverStatus.Setting(name: step.name, wanted: step.wanted))
    }
    if dialect.isSeenInEpochs(setting.name) {
      awaitEpochs(.reading(attempt: 1, isAfterWriting: false), at: instant)
      return []
    }
    if dialect.query(setting.name) == nil { return change(at: instant) }
    return ask(setting.name, .reading(attempt: 1, isAfterWriting: false), at: instant)
  }

  private func isAsWanted(_ names: [ReceiverSetting]) -> Bool {
    names.allSatisfy { name in status.settings.contains { $0.name == name && $0.isAsWanted } }
  }

  private mutating func begin(_ next: Stage, _ steps: [Step], at instant: MonotonicInstant) -> [ReceiverAction] {
    stage = next
    queue = steps
    return advance(at: instant)
  }

  private mutating func endStage(at instant: MonotonicInstant) -> [ReceiverAction] {
    switch stage {
    case .line:
      if exchange(&isAided, with: false), status.identity.map(QuickStart.supports) == true {
        (state, deadline) = (.aiding, nil)
        return [.aid]
      }
      guard dialect.isUblox else { return begin(.rest, wish.steps(for: .nmea, by: dialect), at: instant) }
      guard wish.prefersUBX else { return returnToSentences(at: instant) }
      hasTriedUBX = true
      return begin(.trial([.pvt]), [Step(name: .pvt, wanted: 1, isOptional: true)], at: instant)
    case .trial(let messages):
      if isAsWanted(messages) { return prove(at: instant) }
      guard messages == [.pvt], case .ublox = dialect else { return returnToSentences(at: instant) }
      let older = ReceiverSetting.beforePVT
      return begin(.trial(older), older.map { Step(name: $0, wanted: 1, isOptional: true) }, at: instant)
    case .alone: return isAsWanted([.nmea]) ? prove(at: instant) : returnToSentences(at: instant)
    case .sentences:
      if dialect.isUblox, applies { status.output = .nmea }
      // A receiver that sends no sentences was left in UBX.
      let isSilent = !hasTriedUBX && epoch == nil && !status.settings.contains { $0.name == .nmea }
      let messages = [.pvt, .dop, .eoe, .sat, .svinfo] + ReceiverSetting.beforePVT
      let silence = isSilent ? [] : messages.map { Step(name: $0, wanted: 0, isOptional: true) }
      let needed = speed(for: .nmea).map { Step(name: .speed, wanted: $0) }
      let isDone = status.settings.contains { $0.name == .speed && $0.wanted == needed?.wanted }
      let faster = needed.flatMap { isDone ? nil : [$0] } ?? []
      return begin(.rest, silence + faster + wish.steps(for: .nmea, by: dialect), at: instant)
    case .rest:
      if wish.output == .ubx, status.output == .nmea {
        status.settings.removeAll { $0.name == .pvt }
        status.settings.append(ReceiverStatus.Setting(name: .pvt, wanted: 1, current: 0, outcome: .refused))
      }
      status.phase = .done
      return finish()
    }
  }

  // MARK: - Proof that UBX works

  private mutating func prove(at instant: MonotonicInstant) -> [ReceiverAction] {
    guard applies else { return didProve(at: instant) }
    state = .proving(left: 2)
    deadline = instant + Self.proofTimeout
    return []
  }

  private mutating func takeEpoch(at instant: MonotonicInstant) -> [ReceiverAction] {
    guard case .proving(let left) = state else { return [] }
    if left == 1 { return didProve(at: instant) }
    state = .proving(left: left - 1)
    return []
  }

  private mutating func didProve(at instant: MonotonicInstant) -> [ReceiverAction] {
    if case .trial = stage { return begin(.alone, [Step(name: .nmea, wanted: 0)], at: instant) }
    if applies { status.output = .ubx }
    // Satellites once a second: they are most of the load.
    let period = wish.rate.map { 1000 / $0 } ?? epoch?.period ?? 1000
    let sky = Step(name: .sat, wanted: min(max(1000 / period, 1), 255), isOptional: true)
    let messages = [.dop, .eoe].map { Step(name: $0, wanted: 1, isOptional: true) } + [sky]
    return begin(.rest, wish.steps(for: .ubx, by: dialect, messages), at: instant)
  }

  /// Goes back to NMEA, which is on or is switched on first.
  private mutating func returnToSentences(at instant: MonotonicInstant) -> [ReceiverAction] {
    begin(.sentences, [Step(name: .nmea, wanted: 1, isOptional: true)], at: instant)
  }

  // MARK: - Settings that the epochs show

  private mutating func awaitEpochs(_ next: State, at instant: MonotonicInstant) {
    (state, watch, deadline) = (next, EpochWatch(), instant + Self.proofTimeout)
  }

  /// Takes what the epochs show. Behind a command, another value than the wanted one may be of before it: it counts when
  /// the time is over.
  private mutating func takeSentences(at instant: MonotonicInstant) -> [ReceiverAction] {
    guard case .reading(_, let isAfterWriting) = state, dialect.isSeenInEpochs(setting.name),
      let value = setting.name == .period ? watch.period : watch.accuracy
    else { return [] }
    let wanted = setting.wanted
    let isWanted = setting.name == .period ? abs(value - wanted) * 4 < wanted : value == wanted
    status.settings[index].current = isWanted ? wanted : value
    if isWanted { return conclude(isAfterWriting ? .set : .same, at: instant) }
    return isAfterWriting ? [] : change(at: instant)
  }

  private mutating func conclude(_ outcome: ReceiverStatus.Outcome, at instant: MonotonicInstant) -> [ReceiverAction] {
    if outcome == .refused, setting.name == .model, !isSubstitute, applies, let model = wish.model,
      let substitute = dialect.number(of: model).substitute
    {
      isSubstitute = true
      status.settings[index].wanted = substitute
      if setting.current != substitute { return change(at: instant) }
      return conclude(.same, at: instant)
    }
    status.settings[index].outcome = outcome
    let isNeedless =
      step.wanted == 0 || step.name == .nmea ? ![.set, .planned].contains(outcome) : !setting.isAsWanted
    if step.isOptional, isNeedless {
      status.settings.remove(at: index)
      // Before u-blox 8 the satellites are in another message.
      if step.name == .sat, step.wanted > 0, case .ublox = dialect {
        queue.insert(Step(name: .svinfo, wanted: step.wanted, isOptional: true), at: 0)
      }
    }
    return advance(at: instant)
  }

  private mutating func change(at instant: MonotonicInstant) -> [ReceiverAction] {
    let command = dialect.command(setting.name, setting.wanted, read: read)
    status.settings[index].command = command
    // It has no word for the value, or has not answered.
    guard !command.isEmpty else { return conclude(read == nil ? .unanswered : .refused, at: instant) }
    return applies ? write(attempt: 1, at: instant) : conclude(.planned, at: instant)
  }

  private mutating func write(attempt: Int, at instant: MonotonicInstant) -> [ReceiverAction] {
    let command = setting.command
    guard setting.name == .speed else {
      let actions = send(command, .writing(attempt: attempt), at: instant)
      if dialect.isSeenInEpochs(setting.name) {
        awaitEpochs(.reading(attempt: attempt, isAfterWriting: true), at: instant)
      }
      return actions
    }
    let actions = send(command, .changingSpeed, at: instant)
    speedBefore = lineSpeed
    let transmission = Duration.nanoseconds(Int64(command.count) * 10_000_000_000 / Int64(max(lineSpeed, 1)))
    deadline = instant + transmission + .milliseconds(150)
    return actions
  }

  private mutating func look(at speed: Int, left: [Int], at instant: MonotonicInstant) -> [ReceiverAction] {
    lineSpeed = speed
    newSpeedBegin = instant + .milliseconds(200)
    answers.removeAll()
    return [.setSpeed(speed)]
      + ask(.speed, .findingSpeed(attempt: 1, left: left, messages: answers.messages), at: instant)
  }

  private mutating func didFindSpeed(at instant: MonotonicInstant) -> [ReceiverAction] {
    status.settings[index].current = lineSpeed
    return conclude(lineSpeed == setting.wanted ? .set : .refused, at: instant)
  }

  private mutating func ask(_ name: ReceiverSetting, _ next: State, at instant: MonotonicInstant) -> [ReceiverAction] {
    send(dialect.query(name) ?? [], next, at: instant)
  }

  private mutating func send(_ bytes: [UInt8], _ next: State, at instant: MonotonicInstant) -> [ReceiverAction] {
    state = next
    deadline = instant + Self.timeout
    return [.write(bytes)]
  }

  private mutating func finish() -> [ReceiverAction] {
    state = .finished
    deadline = nil
    return [.finish]
  }

  // MARK: - Answers

  private mutating func answered(_ answer: ReceiverAnswer, at instant: MonotonicInstant) -> [ReceiverAction] {
    func value(of name: ReceiverSetting) -> Int? {
      dialect.value(of: name, in: answer, port: port, lineSpeed: lineSpeed)
    }
    if dialect.nameQuery != nil, let (_, stated) = ReceiverDialect.identify(answer, isUSB: isUSB) {
      if let model = stated.model { status.identity?.model = model }
      if let firmware = stated.firmware { status.identity?.firmware = firmware }
    }
    switch state {
    case .idle, .finished, .proving, .aiding: return []
    case .identifying:
      if let family = ReceiverDialect.other(answer) { status.identity = ReceiverIdentity(family: family) }
      guard let (dialect, identity) = ReceiverDialect.identify(answer, isUSB: isUSB) else { return [] }
      self.dialect = dialect
      return didIdentify(identity, at: instant)
    case .readingPort:
      guard value(of: .speed) != nil else { return [] }
      if case .ubx(_, _, let payload) = answer {
        port = min(Int(payload[0]), 5)
      } else if status.identity?.model == nil || status.identity?.firmware == nil {
        return []
      }
      return advance(at: instant)
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
