import LocationCore

/// One recorded source: its bytes, or the reports of its gpsd, become epochs by the code that reads them on the road.
struct RideLane: Sendable {
  /// The epochs that the last call closed; whoever calls takes and empties them.
  var closed: [Epoch] = []
  /// Whether the source is open, as far as the recording tells.
  var isOpen = false
  /// When silence closes the open epoch, or a held suspect has waited long enough.
  private(set) var deadline: MonotonicInstant?
  private var receiver: NMEAReceiver
  private var gpsd: GPSDReceiver
  private var gpsdDeadline: MonotonicInstant?

  init(_ configuration: ReceiverConfiguration) {
    receiver = NMEAReceiver(configuration: configuration)
    gpsd = GPSDReceiver(configuration: configuration)
  }

  mutating func receive(_ bytes: [UInt8], at instant: MonotonicInstant) {
    var hasReports = false
    bytes.withUnsafeBytes { buffer in
      RecordedPiece.forEach(of: buffer, at: instant) { piece in
        switch piece {
        case .sentences(let sentences): receiver.receive(sentences, at: instant) { closed.append(copy $0) }
        case .report(let report, _):
          hasReports = true
          take(report, at: instant)
        case .otherReport, .malformedReport: break
        }
      }
    }
    if hasReports { gpsdDeadline = gpsd.deadline }
    deadline = Self.earlier(receiver.deadline, gpsdDeadline)
  }

  mutating func expire(at instant: MonotonicInstant) {
    receiver.expire(at: instant) { closed.append(copy $0) }
    gpsd.expire(at: instant) { closed.append(copy $0) }
    noteDeadlines()
  }

  mutating func endOfInput(at instant: MonotonicInstant) {
    receiver.endOfInput(at: instant) { closed.append(copy $0) }
    gpsd.endOfInput { closed.append(copy $0) }
    noteDeadlines()
  }

  private mutating func noteDeadlines() {
    gpsdDeadline = gpsd.deadline
    deadline = Self.earlier(receiver.deadline, gpsdDeadline)
  }

  private static func earlier(_ one: MonotonicInstant?, _ other: MonotonicInstant?) -> MonotonicInstant? {
    guard let other else { return one }
    return one.map { min($0, other) } ?? other
  }

  private mutating func take(_ report: GPSDReport, at instant: MonotonicInstant) {
    switch report {
    case .position(let position): gpsd.take(position, at: instant) { closed.append(copy $0) }
    case .sky(let device, let sky): gpsd.take(sky, of: device)
    case .noise(let device, let noise): gpsd.take(noise, of: device)
    }
  }
}
