package struct ReceiverAids: Sendable {
  /// UTC at an instant, with its greatest error; `nil` if it is not known.
  package var time: (utc: UTCInstant, at: MonotonicInstant, error: Duration)?
  /// The place, with its error in metres; `nil` if it is not known.
  package var position: (place: Coordinate, error: Double)?
  package var database: [[UInt8]] = []
  package var assistance: [[UInt8]] = []

  package init() {}
  var isEmpty: Bool { time == nil && position == nil && database.isEmpty && assistance.isEmpty }

  /// Metres of error after a time, from 5 km on as no height is stated, 10 m/s as of a vehicle; `nil` when useless.
  package static func error(of error: Double?, after age: Duration) -> Double? {
    guard age >= .zero else { return nil }
    let grown = max(error ?? 100, 5000) + 10 * age.inSeconds
    return grown <= 3_000_000 ? grown : nil
  }
}

package struct QuickStartResult: Hashable, Sendable {
  package enum Outcome: String, Hashable, Sendable {
    case running
    case needless = "the receiver has a fix, nothing is sent"
    case nothing = "nothing is known that helps the receiver"
    case sent = "done"
    case late = "the time was over before everything was sent"
    /// Also one that stopped acknowledging.
    case unanswered = "the receiver does not answer"
    case refused = "the receiver does not acknowledge, nothing is sent"
  }

  package struct Count: Hashable, Sendable {
    package var sent = 0
    package var accepted = 0
  }

  package var outcome = Outcome.running
  /// `nil` until the receiver has answered.
  package var receiver: ReceiverKey?
  /// The instant at which it was switched on, if it states that.
  package var powerOn: MonotonicInstant?
  package var counts: [ReceiverAid: Count] = [:]
  package var isRestoredFromFlash = false

  /// The aids of which it has accepted at least a part.
  package var aids: [ReceiverAid] {
    ReceiverAid.allCases.filter { counts[$0, default: Count()].accepted > 0 || $0 == .database && isRestoredFromFlash }
  }
}

/// Helps a u-blox receiver without a fix to one: identifies it, asks for its fix, and sends what is known, as many
/// acknowledged messages at a time as its input holds. Bytes and instants go in, bytes to write come out.
package struct QuickStart: Sendable {
  private enum State {
    case idle
    case asking(attempt: Int)
    case preparing
    case sending(attempt: Int)
    case finished
  }

  /// Time in which everything is to be sent, beside what the bytes take on the line.
  static let limit = Duration.seconds(2)
  /// Longest time for which a slow line may send.
  static let longestTransmission = Duration.seconds(8)
  /// Bytes that are sent before they are acknowledged.
  static let window = 512
  private static let attempts = 2
  /// What a message takes until the receiver acts on it, beside its time on the line.
  private static let delay = Duration.milliseconds(50)

  package private(set) var result = QuickStartResult()
  /// The instant at which `expire` has an effect; `nil` while nothing is awaited.
  package private(set) var deadline: MonotonicInstant?
  private let identity: ReceiverIdentity
  private let line: String
  /// Bit/s; `nil` where bytes take no time.
  private let speed: Int?
  private let usesFlash: Bool
  /// Whether the receiver acknowledges aiding messages.
  private let acknowledges: Bool
  private var state = State.idle
  private var answers = ReceiverAnswers()
  private var id: String?
  private var hasFix: Bool?
  private var isBackupKnown: Bool
  private var time: (utc: UTCInstant, at: MonotonicInstant, error: Duration)?
  /// What is sent; a message of time is made when it is written.
  private var items: [(aid: ReceiverAid, frame: [UInt8])] = []
  private var next = 0
  /// The items that are sent and not acknowledged, oldest first.
  private var inFlight: [Int] = []
  private var end = MonotonicInstant.zero

  /// `line` is its name, for a receiver without a number; `speed` is in bit/s, `nil` if it has none.
  package init(
    _ identity: ReceiverIdentity, line: String, speed: Int?, usesFlash: Bool, acknowledges: Bool
  ) {
    self.identity = identity
    self.line = line
    self.speed = speed
    self.usesFlash = usesFlash
    isBackupKnown = !usesFlash
    self.acknowledges = acknowledges
  }

  /// Whether a receiver understands aiding messages: u-blox 8 and later.
  package static func supports(_ identity: ReceiverIdentity) -> Bool {
    identity.family == .ublox && identity.protocolMajor >= AidingMessage.firstProtocol
  }

  package var isFinished: Bool { if case .finished = state { true } else { false } }

  package mutating func start(at instant: MonotonicInstant) -> [ReceiverAction] {
    guard case .idle = state else { return [] }
    return ask(attempt: 1, at: instant)
  }

  package mutating func send(_ aids: ReceiverAids, at instant: MonotonicInstant) -> [ReceiverAction] {
    guard case .preparing = state else { return [] }
    guard !aids.isEmpty else { return finish(.nothing) }
    guard acknowledges else { return finish(.refused) }
    // The time first: without it a receiver cannot use orbits.
    time = aids.time
    if aids.time != nil { items.append((.time, [])) }
    if let position = aids.position {
      items.append((.position, AidingMessage.position(position.place, accuracy: position.error)))
    }
    items += aids.database.map { (.database, $0) }
    items += aids.assistance.map { (.assistance, $0) }
    state = .sending(attempt: 1)
    let bytes = items.reduce(0) { $0 + max($1.frame.count, 32) }
    end = instant + Self.limit + min(transmission(of: bytes), Self.longestTransmission)
    return fill(at: instant)
  }

  package mutating func receive(_ bytes: UnsafeRawBufferPointer, at instant: MonotonicInstant) -> [ReceiverAction] {
    if isFinished { return [] }
    return answers.receive(bytes).flatMap { answered($0, at: instant) }
  }

  package mutating func expire(at instant: MonotonicInstant) -> [ReceiverAction] {
    guard let deadline, instant >= deadline else { return [] }
    switch state {
    case .idle, .preparing, .finished: return []
    case .asking(let attempt):
      // A receiver need not have a number, or flash memory.
      if hasFix != nil { return didAsk() }
      return attempt < Self.attempts ? ask(attempt: attempt + 1, at: instant) : finish(.unanswered)
    case .sending(let attempt):
      if instant >= end { return finish(.late) }
      guard attempt < Self.attempts else { return finish(.unanswered) }
      state = .sending(attempt: attempt + 1)
      noteDeadline(at: instant)
      return inFlight.map { write($0, at: instant) }
    }
  }

  // MARK: - Steps

  private mutating func ask(attempt: Int, at instant: MonotonicInstant) -> [ReceiverAction] {
    state = .asking(attempt: attempt)
    deadline = instant + ReceiverAnswers.timeout
    // A daemon that was killed while the receiver stored its database has left the reception stopped.
    let flash = usesFlash ? [AidingMessage.startReception, AidingMessage.backupStatus] : []
    return (flash + [AidingMessage.uniqueID, AidingMessage.status]).map { .write($0) }
  }

  private mutating func didAsk() -> [ReceiverAction] {
    let firmware = [identity.model, identity.firmware, identity.protocolVersion].compactMap { $0 }
    let key = ReceiverKey(id: id ?? line, firmware: firmware.joined(separator: " "))
    result.receiver = key
    if hasFix == true { return finish(.needless) }
    state = .preparing
    deadline = nil
    return [.prepare(key)]
  }

  private func transmission(of bytes: Int) -> Duration {
    guard let speed, speed > 0 else { return .zero }
    return .nanoseconds(Int64(bytes) * 10_000_000_000 / Int64(speed))
  }

  private mutating func fill(at instant: MonotonicInstant) -> [ReceiverAction] {
    if instant >= end { return finish(.late) }
    var actions: [ReceiverAction] = []
    var size = inFlight.reduce(0) { $0 + items[$1].frame.count }
    while next < items.count, inFlight.isEmpty || size + items[next].frame.count <= Self.window {
      actions.append(write(next, at: instant))
      result.counts[items[next].aid, default: .init()].sent += 1
      size += items[next].frame.count
      inFlight.append(next)
      next += 1
    }
    if inFlight.isEmpty { return finish(.sent) }
    noteDeadline(at: instant)
    return actions
  }

  private mutating func write(_ index: Int, at instant: MonotonicInstant) -> ReceiverAction {
    if items[index].aid == .time, let time {
      let way = transmission(of: 32) + Self.delay
      items[index].frame = AidingMessage.time(time.utc + (instant - time.at) + way / 2, accuracy: time.error + way)
    }
    return .write(items[index].frame)
  }

  private mutating func noteDeadline(at instant: MonotonicInstant) {
    deadline = min(instant + ReceiverAnswers.timeout, end)
  }

  private mutating func finish(_ outcome: QuickStartResult.Outcome) -> [ReceiverAction] {
    state = .finished
    deadline = nil
    result.outcome = outcome
    return [.finish]
  }

  // MARK: - Answers

  private mutating func answered(_ answer: ReceiverAnswer, at instant: MonotonicInstant) -> [ReceiverAction] {
    switch state {
    case .idle, .preparing, .finished: return []
    case .asking: return takeKnowledge(answer, at: instant)
    case .sending:
      guard let acknowledgement = AidingAcknowledgement(answer),
        let index = inFlight.firstIndex(where: { acknowledgement.concerns(items[$0].frame) })
      else { return [] }
      let item = items[inFlight.remove(at: index)]
      if acknowledgement.isAccepted { result.counts[item.aid, default: .init()].accepted += 1 }
      state = .sending(attempt: 1)
      return fill(at: instant)
    }
  }

  private mutating func takeKnowledge(_ answer: ReceiverAnswer, at instant: MonotonicInstant) -> [ReceiverAction] {
    var actions: [ReceiverAction] = []
    switch answer {
    case .ubx(0x27, 0x03, let payload) where (9...16).contains(payload.count):
      id = Hexadecimal.text(payload[4...])
    case .ubx(0x01, 0x03, let payload) where payload.count == 16:
      hasFix = payload[5] & 1 != 0
      result.powerOn = ReceiverCommand.number(payload, at: 12, 4).map { instant - .milliseconds($0) }
    case .ubx(0x09, 0x14, let payload) where usesFlash && payload.count == 8 && payload[0] == 3:
      isBackupKnown = true
      result.isRestoredFromFlash = payload[4] == 2
      // Not again, at a start after another ride.
      if payload[4] == 1 || payload[4] == 2 { actions.append(.write(AidingMessage.clearBackup)) }
    case .ubx(0x05, 0x00, [0x27, 0x03]): id = line
    case .ubx(0x05, 0x00, [0x09, 0x14]): isBackupKnown = true
    default: return []
    }
    return actions + (id != nil && hasFix != nil && isBackupKnown ? didAsk() : [])
  }
}
