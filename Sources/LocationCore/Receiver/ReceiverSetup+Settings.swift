// One setting: read, written and read back.
extension ReceiverSetup {
  mutating func advance(at instant: MonotonicInstant) -> [ReceiverAction] {
    read = nil
    guard !queue.isEmpty else { return endStage(at: instant) }
    step = queue.removeFirst()
    if let known = status.settings.firstIndex(where: { $0.name == step.name }) {
      index = known
      status.settings[known].wanted = step.wanted
    } else {
      index = status.settings.count
      status.settings.append(step)
    }
    if dialect.isSeenInEpochs(setting.name) {
      awaitEpochs(.reading(attempt: 1, isAfterWriting: false), at: instant)
      return []
    }
    if dialect.query(setting.name) == nil { return change(at: instant) }
    return ask(setting.name, .reading(attempt: 1, isAfterWriting: false), at: instant)
  }

  mutating func conclude(_ outcome: ReceiverStatus.Outcome, at instant: MonotonicInstant) -> [ReceiverAction] {
    if outcome == .refused, setting.name == .model, applies, let model = wish.model,
      let substitute = dialect.number(of: model).substitute, setting.wanted != substitute
    {
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

  mutating func change(at instant: MonotonicInstant) -> [ReceiverAction] {
    let command = dialect.command(setting.name, setting.wanted, read: read)
    status.settings[index].command = command
    // It has no word for the value, or has not answered.
    guard !command.isEmpty else { return conclude(read == nil ? .unanswered : .refused, at: instant) }
    return applies ? write(attempt: 1, at: instant) : conclude(.planned, at: instant)
  }

  mutating func write(attempt: Int, at instant: MonotonicInstant) -> [ReceiverAction] {
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

  mutating func look(at speed: Int, left: [Int], at instant: MonotonicInstant) -> [ReceiverAction] {
    lineSpeed = speed
    newSpeedBegin = instant + .milliseconds(200)
    answers.removeAll()
    return [.setSpeed(speed)]
      + ask(.speed, .findingSpeed(attempt: 1, left: left, messages: answers.messages), at: instant)
  }

  mutating func didFindSpeed(at instant: MonotonicInstant) -> [ReceiverAction] {
    status.settings[index].current = lineSpeed
    return conclude(lineSpeed == setting.wanted ? .set : .refused, at: instant)
  }

  // MARK: - Settings that the epochs show

  mutating func awaitEpochs(_ next: State, at instant: MonotonicInstant) {
    (state, watch, deadline) = (next, EpochWatch(), instant + Self.proofTimeout)
  }

  /// Behind a command, another value than the wanted one may be older: it counts when the time is over.
  mutating func takeSentences(at instant: MonotonicInstant) -> [ReceiverAction] {
    guard case .reading(_, let isAfterWriting) = state, dialect.isSeenInEpochs(setting.name),
      let value = setting.name == .period ? watch.period : watch.accuracy
    else { return [] }
    let wanted = setting.wanted
    let isWanted = setting.name == .period ? abs(value - wanted) * 4 < wanted : value == wanted
    status.settings[index].current = isWanted ? wanted : value
    if isWanted { return conclude(isAfterWriting ? .set : .same, at: instant) }
    return isAfterWriting ? [] : change(at: instant)
  }
}
