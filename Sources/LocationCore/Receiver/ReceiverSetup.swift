/// Brings a receiver into the wanted state: asks what it is, reads each setting, sends what differs, and reads it back.
/// Bytes and instants go in, bytes to write and line speeds come out. A setting that is refused or not answered is
/// skipped. Nothing is stored permanently in the receiver.
package struct ReceiverSetup: Sendable {
  typealias Step = ReceiverWish.Step

  enum State {
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

  /// A part of the set-up. It begins with `line` and ends with `rest`; in between UBX takes `trial` and `alone`, and a
  /// u-blox receiver in NMEA, or on its way back to it, `sentences`.
  enum Stage {
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

  private static let attempts = 3
  /// Time for two epochs in UBX, or for those that show a setting.
  static let proofTimeout = Duration.seconds(5)

  package internal(set) var status = ReceiverStatus()
  /// The instant at which `expire` has an effect; `nil` when the set-up is over.
  package internal(set) var deadline: MonotonicInstant?
  /// Speed of the line, bit/s.
  package internal(set) var lineSpeed = 0
  let wish: ReceiverWish
  private(set) var isUSB = false
  private(set) var applies = false
  var isAided = false
  private let speeds: [Int]
  var state = State.idle
  var answers = ReceiverAnswers()
  private(set) var dialect = ReceiverDialect.ublox
  var stage = Stage.line
  var queue: [Step] = []
  var step = Step(name: .speed, wanted: 0)
  var index = 0
  /// The newest epoch in UBX, its time of week in milliseconds, and the time from the one before.
  var epoch: (time: Int, period: Int?)?
  var watch = EpochWatch()
  private var port = 1
  var read: ReceiverAnswer?
  var speedBefore = 0
  /// The instant from which on sentences are of the line's new speed: some may have been on their way.
  var newSpeedBegin = MonotonicInstant.zero

  /// A set-up that waits for its start, and takes what the receiver states of itself until then. At `speeds` the receiver is
  /// looked for if it does not answer.
  package init(_ wish: ReceiverWish, speeds: [Int]) {
    self.wish = wish
    self.speeds = speeds
  }

  package var isIdle: Bool { if case .idle = state { true } else { false } }
  package var isFinished: Bool { if case .finished = state { true } else { false } }

  /// Sentences arrive at `lineSpeed`, bit/s, which has no effect if `isUSB`. Only reads unless `applies`. If `isAided`,
  /// the owner helps it to a first fix once the line has room.
  package mutating func start(
    lineSpeed: Int, isUSB: Bool, applies: Bool, isAided: Bool = false, at instant: MonotonicInstant
  ) -> [ReceiverAction] {
    guard isIdle else { return [] }
    (self.lineSpeed, self.isUSB, self.applies, self.isAided) = (lineSpeed, isUSB, applies, isAided && applies)
    guard dialect != .ublox, let identity = status.identity else { return identify(0, at: instant) }
    return didIdentify(identity, at: instant)
  }

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
    case .reading(_, let isAfterWriting) where dialect == .casic && setting.name == .model:
      // One that answers no query for its model takes it all the same.
      return isAfterWriting ? conclude(.sent, at: instant) : change(at: instant)
    case .reading(let attempt, let isAfterWriting):
      guard attempt < Self.attempts else { return conclude(.unanswered, at: instant) }
      return ask(setting.name, .reading(attempt: attempt + 1, isAfterWriting: isAfterWriting), at: instant)
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
        status.settings[index].outcome = .unanswered
        return finish(.lost)
      }
      return look(at: next, left: Array(left.dropFirst()), at: instant)
    }
  }

  // MARK: - Steps

  var setting: Step { status.settings[index] }

  private mutating func identify(_ query: Int, at instant: MonotonicInstant) -> [ReceiverAction] {
    let queries = ReceiverDialect.identification
    guard query < 2 * queries.count else { return finish(.unsupported) }
    return send(queries[query % queries.count], .identifying(query), at: instant)
  }

  private mutating func didIdentify(_ identity: ReceiverIdentity, at instant: MonotonicInstant) -> [ReceiverAction] {
    status.identity = identity
    status.phase = .running
    let output = dialect.isUblox && wish.prefersUBX ? ReceiverWish.Output.ubx : .nmea
    if let speed = speed(for: output) { queue.append(Step(name: .speed, wanted: speed)) }
    isAided = isAided && QuickStart.supports(identity)
    if isAided { queue.append(Step(name: .aiding, wanted: 1, isOptional: true)) }
    if let query = dialect.nameQuery { return send(query, .readingPort(attempt: 1), at: instant) }
    guard case .ublox = dialect else {
      // MON-SYS, which the engine reads: why it has started. Not every u-blox 9 answers.
      return (dialect.isUblox ? [.write(ReceiverCommand.ubx(0x0A, 0x39))] : []) + advance(at: instant)
    }
    return ask(.speed, .readingPort(attempt: 1), at: instant)
  }

  mutating func ask(_ name: ReceiverSetting, _ next: State, at instant: MonotonicInstant) -> [ReceiverAction] {
    send(dialect.query(name) ?? [], next, at: instant)
  }

  mutating func send(_ bytes: [UInt8], _ next: State, at instant: MonotonicInstant) -> [ReceiverAction] {
    state = next
    deadline = instant + ReceiverAnswers.timeout
    return [.write(bytes)]
  }

  mutating func finish(_ phase: ReceiverStatus.Phase) -> [ReceiverAction] {
    (status.phase, state, deadline) = (phase, .finished, nil)
    return [.finish]
  }

  // MARK: - Answers

  private mutating func answered(_ answer: ReceiverAnswer, at instant: MonotonicInstant) -> [ReceiverAction] {
    func value(of name: ReceiverSetting) -> Int? {
      dialect.value(of: name, in: answer, port: port, lineSpeed: lineSpeed)
    }
    if dialect.nameQuery != nil, let (_, stated) = ReceiverDialect.identify(answer, isUSB: isUSB) {
      status.identity = status.identity?.adding(stated)
    }
    switch state {
    case .idle:
      // A receiver that is switched on with its line may not be asked in time, or not be able to receive.
      guard case .sentence = answer, let (found, stated) = ReceiverDialect.identify(answer, isUSB: false) else {
        return []
      }
      if found == nil || found != dialect { status.identity = stated }
      dialect = found ?? dialect
      return []
    case .finished, .proving, .aiding: return []
    case .identifying:
      guard let (found, identity) = ReceiverDialect.identify(answer, isUSB: isUSB) else { return [] }
      status.identity = identity
      guard let dialect = found else { return [] }
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
