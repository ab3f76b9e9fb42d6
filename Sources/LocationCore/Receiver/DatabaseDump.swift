/// Reads a u-blox receiver's database, whole by its number of messages; on request it is also stored in its flash.
package struct DatabaseDump: Sendable {
  package enum Outcome: Hashable, Sendable {
    case complete([[UInt8]])
    /// Other than the stated number arrived; `nil` if none was stated.
    case incomplete(stated: Int?, received: Int)
    case refused
    case unanswered
    /// It has more messages or bytes than any receiver's.
    case tooLarge
  }

  private enum State {
    case idle
    case enabling
    case reading
    case storing
    case finished
  }

  /// Time for erasing and writing the flash memory.
  private static let storingTime = Duration.seconds(1)

  package private(set) var outcome = Outcome.unanswered
  package private(set) var isStored = false
  /// The instant at which `expire` has an effect; `nil` when the dump is over.
  package private(set) var deadline: MonotonicInstant?
  private let storesInFlash: Bool
  private let limit: Duration
  private var state = State.idle
  private var answers = ReceiverAnswers()
  private var enabling: AcknowledgedAiding
  private var frames: [[UInt8]] = []
  private var size = 0
  private var end = MonotonicInstant.zero

  package init(by dialect: ReceiverDialect, limit: Duration, storesInFlash: Bool = false) {
    self.limit = limit
    self.storesInFlash = storesInFlash
    enabling = AcknowledgedAiding(dialect)
  }

  package var isFinished: Bool { if case .finished = state { true } else { false } }

  package mutating func start(at instant: MonotonicInstant) -> [ReceiverAction] {
    guard case .idle = state else { return [] }
    end = instant + limit - (storesInFlash ? Self.storingTime : .zero)
    return enable(at: instant)
  }

  package mutating func receive(_ bytes: UnsafeRawBufferPointer, at instant: MonotonicInstant) -> [ReceiverAction] {
    if isFinished { return [] }
    return answers.receive(bytes).flatMap { answered($0, at: instant) }
  }

  package mutating func expire(at instant: MonotonicInstant) -> [ReceiverAction] {
    guard let deadline, instant >= deadline else { return [] }
    switch state {
    case .idle, .finished: return []
    case .enabling: return enable(at: instant)
    case .reading:
      return conclude(frames.isEmpty ? .unanswered : .incomplete(stated: nil, received: frames.count), at: instant)
    case .storing: return finish()
    }
  }

  private mutating func enable(at instant: MonotonicInstant) -> [ReceiverAction] {
    guard instant < end, let query = enabling.next() else { return conclude(.unanswered, at: instant) }
    wait(in: .enabling, at: instant)
    return [.write(query)]
  }

  private mutating func wait(in next: State, at instant: MonotonicInstant) {
    state = next
    deadline = min(instant + ReceiverAnswers.timeout, end)
  }

  private mutating func answered(_ answer: ReceiverAnswer, at instant: MonotonicInstant) -> [ReceiverAction] {
    switch state {
    case .idle, .finished: return []
    case .enabling:
      switch enabling.take(answer) {
      case nil: return []
      case .write(let command)?:
        wait(in: .enabling, at: instant)
        return [.write(command)]
      case .done(true)?:
        wait(in: .reading, at: instant)
        return [.write(AidingMessage.database)]
      case .done(false)?: return conclude(.refused, at: instant)
      }
    case .reading:
      if case .ubx(0x13, 0x80, let payload) = answer { return add(payload, at: instant) }
      guard let acknowledgement = AidingAcknowledgement(answer), acknowledgement.messageID == 0x80 else { return [] }
      guard acknowledgement.isAccepted else { return conclude(.refused, at: instant) }
      let (stated, received) = (acknowledgement.number, frames.count)
      return conclude(
        stated == received ? .complete(frames) : .incomplete(stated: stated, received: received), at: instant)
    case .storing:
      guard case .ubx(0x09, 0x14, let payload) = answer, payload.count == 8, payload[0] == 2 else { return [] }
      isStored = payload[4] == 1
      return finish()
    }
  }

  private mutating func add(_ payload: [UInt8], at instant: MonotonicInstant) -> [ReceiverAction] {
    guard !payload.isEmpty else { return [] }
    let frame = ReceiverCommand.ubx(0x13, 0x80, payload)
    size += frame.count
    guard frames.count < NavigationDatabase.maximumCount, size <= NavigationDatabase.maximumSize else {
      return conclude(.tooLarge, at: instant)
    }
    frames.append(frame)
    wait(in: .reading, at: instant)
    return []
  }

  private mutating func conclude(_ outcome: Outcome, at instant: MonotonicInstant) -> [ReceiverAction] {
    self.outcome = outcome
    frames = []
    guard storesInFlash else { return finish() }
    state = .storing
    deadline = instant + Self.storingTime
    return [.write(AidingMessage.stopReception), .write(AidingMessage.createBackup)]
  }

  private mutating func finish() -> [ReceiverAction] {
    let wasStoring = if case .storing = state { true } else { false }
    state = .finished
    deadline = nil
    // The power may stay on.
    return (wasStoring ? [.write(AidingMessage.startReception)] : []) + [.finish]
  }
}
