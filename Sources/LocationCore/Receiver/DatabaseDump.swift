/// Reads a u-blox receiver's database, whole by its number of messages; on request it is also stored in its flash.
package struct DatabaseDump: Sendable {
  private enum State {
    case idle
    case reading
    case storing
    case finished
  }

  /// Time for erasing and writing the flash memory.
  private static let storingTime = Duration.seconds(1)

  /// What was read, empty with a problem.
  package private(set) var frames: [[UInt8]] = []
  /// Why it could not be read whole; `nil` if it was.
  package private(set) var problem: String?
  package private(set) var isStored = false
  /// The instant at which `expire` has an effect; `nil` when the dump is over.
  package private(set) var deadline: MonotonicInstant?
  private let storesInFlash: Bool
  private let limit: Duration
  /// Whether the receiver acknowledges aiding messages, and so states the number of messages of its database.
  private let acknowledges: Bool
  private var state = State.idle
  private var answers = ReceiverAnswers()
  private var size = 0
  private var end = MonotonicInstant.zero

  package init(acknowledges: Bool, limit: Duration, storesInFlash: Bool = false) {
    self.acknowledges = acknowledges
    self.limit = limit
    self.storesInFlash = storesInFlash
  }

  package var isFinished: Bool { if case .finished = state { true } else { false } }

  package mutating func start(at instant: MonotonicInstant) -> [ReceiverAction] {
    guard case .idle = state else { return [] }
    end = instant + limit - (storesInFlash ? Self.storingTime : .zero)
    guard acknowledges else { return conclude("the receiver refuses", at: instant) }
    waitForMessage(at: instant)
    return [.write(AidingMessage.database)]
  }

  package mutating func receive(_ bytes: UnsafeRawBufferPointer, at instant: MonotonicInstant) -> [ReceiverAction] {
    if isFinished { return [] }
    return answers.receive(bytes).flatMap { answered($0, at: instant) }
  }

  package mutating func expire(at instant: MonotonicInstant) -> [ReceiverAction] {
    guard let deadline, instant >= deadline else { return [] }
    switch state {
    case .idle, .finished: return []
    case .reading:
      return conclude(frames.isEmpty ? "the receiver does not answer" : "its end did not arrive", at: instant)
    case .storing: return finish()
    }
  }

  private mutating func answered(_ answer: ReceiverAnswer, at instant: MonotonicInstant) -> [ReceiverAction] {
    switch state {
    case .idle, .finished: return []
    case .reading:
      if case .ubx(0x13, 0x80, let payload) = answer { return add(payload, at: instant) }
      guard let acknowledgement = AidingAcknowledgement(answer), acknowledgement.messageID == 0x80 else { return [] }
      guard acknowledgement.isAccepted else { return conclude("the receiver refuses", at: instant) }
      let (stated, received) = (acknowledgement.number, frames.count)
      return conclude(stated == received ? nil : "\(received) of \(stated) messages arrived", at: instant)
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
      return conclude("it is larger than that of any receiver", at: instant)
    }
    frames.append(frame)
    waitForMessage(at: instant)
    return []
  }

  private mutating func waitForMessage(at instant: MonotonicInstant) {
    state = .reading
    deadline = min(instant + ReceiverAnswers.timeout, end)
  }

  private mutating func conclude(_ problem: String?, at instant: MonotonicInstant) -> [ReceiverAction] {
    self.problem = problem
    if problem != nil { frames = [] }
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
