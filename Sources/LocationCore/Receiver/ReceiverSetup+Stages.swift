// The parts of a set-up.
extension ReceiverSetup {
  func speed(for output: ReceiverWish.Output) -> Int? {
    isUSB ? nil : wish.speed(of: lineSpeed, for: output, isUblox: dialect.isUblox)
  }

  package var acknowledgesAiding: Bool { isAsWanted([.aiding]) }

  func isAsWanted(_ names: [ReceiverSetting]) -> Bool {
    names.allSatisfy { name in status.settings.contains { $0.name == name && $0.isAsWanted } }
  }

  mutating func begin(_ next: Stage, _ steps: [Step], at instant: MonotonicInstant) -> [ReceiverAction] {
    stage = next
    queue = steps
    return advance(at: instant)
  }

  mutating func endStage(at instant: MonotonicInstant) -> [ReceiverAction] {
    switch stage {
    case .line:
      if exchange(&isAided, with: false) {
        (state, deadline) = (.aiding, nil)
        return [.aid]
      }
      guard dialect.isUblox else { return begin(.rest, wish.steps(for: .nmea, by: dialect), at: instant) }
      guard wish.prefersUBX else { return returnToSentences(at: instant) }
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
      let isSilent = !wish.prefersUBX && epoch == nil && !status.settings.contains { $0.name == .nmea }
      let messages = [.pvt, .dop, .eoe, .sat, .svinfo] + ReceiverSetting.beforePVT
      let silence = isSilent ? [] : messages.map { Step(name: $0, wanted: 0, isOptional: true) }
      let needed = speed(for: .nmea).map { Step(name: .speed, wanted: $0) }
      let isDone = status.settings.contains { $0.name == .speed && $0.wanted == needed?.wanted }
      let faster = needed.flatMap { isDone ? nil : [$0] } ?? []
      return begin(.rest, silence + faster + wish.steps(for: .nmea, by: dialect), at: instant)
    case .rest:
      if wish.output == .ubx, status.output == .nmea {
        status.settings.removeAll { $0.name == .pvt }
        status.settings.append(Step(name: .pvt, wanted: 1, current: 0, outcome: .refused))
      }
      return finish(.done)
    }
  }

  // MARK: - Proof that UBX works

  mutating func prove(at instant: MonotonicInstant) -> [ReceiverAction] {
    guard applies else { return didProve(at: instant) }
    state = .proving(left: 2)
    deadline = instant + Self.proofTimeout
    return []
  }

  mutating func takeEpoch(at instant: MonotonicInstant) -> [ReceiverAction] {
    guard case .proving(let left) = state else { return [] }
    if left == 1 { return didProve(at: instant) }
    state = .proving(left: left - 1)
    return []
  }

  mutating func didProve(at instant: MonotonicInstant) -> [ReceiverAction] {
    if case .trial = stage { return begin(.alone, [Step(name: .nmea, wanted: 0)], at: instant) }
    if applies { status.output = .ubx }
    // Satellites once a second: they are most of the load.
    let period = wish.rate.map { 1000 / $0 } ?? epoch?.period ?? 1000
    let sky = Step(name: .sat, wanted: min(max(1000 / period, 1), 255), isOptional: true)
    let messages = [.dop, .eoe].map { Step(name: $0, wanted: 1, isOptional: true) } + [sky]
    return begin(.rest, wish.steps(for: .ubx, by: dialect, messages), at: instant)
  }

  /// Goes back to NMEA, which is on or is switched on first.
  mutating func returnToSentences(at instant: MonotonicInstant) -> [ReceiverAction] {
    begin(.sentences, [Step(name: .nmea, wanted: 1, isOptional: true)], at: instant)
  }
}
