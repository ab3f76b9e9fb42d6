import LocationCore

/// One recorded source: its bytes become epochs by the code that reads them on the road.
struct RideLane: Sendable {
  /// The epochs that the last call closed; whoever calls takes and empties them.
  var closed: [Epoch] = []
  /// Whether the source is open, as far as the recording tells.
  var isOpen = false
  private var receiver: NMEAReceiver

  init(_ configuration: ReceiverConfiguration) {
    receiver = NMEAReceiver(configuration: configuration)
  }

  /// When silence closes the open epoch, or a held suspect has waited long enough.
  var deadline: MonotonicInstant? { receiver.deadline }

  mutating func receive(_ bytes: [UInt8], at instant: MonotonicInstant) {
    bytes.withUnsafeBytes { bytes in
      receiver.receive(bytes, at: instant) { closed.append(copy $0) }
    }
  }

  mutating func expire(at instant: MonotonicInstant) {
    receiver.expire(at: instant) { closed.append(copy $0) }
  }

  mutating func endOfInput(at instant: MonotonicInstant) {
    receiver.endOfInput(at: instant) { closed.append(copy $0) }
  }
}
