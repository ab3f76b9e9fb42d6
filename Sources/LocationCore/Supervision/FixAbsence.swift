/// Why the leading source has no fix; the raw values are the protocol's.
package enum AbsenceReason: String, Hashable, Sendable, CaseIterable {
  // What keeps a source closed.
  case noDevice, denied, busy, disabled, unavailable, misconfigured
  case silent
  /// Bytes arrive without a sentence at the only speed that the configuration allows.
  case wrongSpeed
  /// Bytes arrive without a sentence or message.
  case noNMEA
  /// The receiver states a short circuit of its antenna, or an open one and receives no strong signal.
  case antenna
  /// The receiver states critical jamming.
  case jammed
  /// The receiver states positions that are not published.
  case implausible
  /// The receiver has the time, and no position.
  case timeOnly
  /// Sentences or messages arrive, of which none states a position or that there is none.
  case noPosition
  /// The receiver states that it has no fix.
  case searching

  init(_ error: SourceError) {
    self =
      switch error {
      case .notFound: .noDevice
      case .denied: .denied
      case .busy, .heldByDaemon: .busy
      case .disabled: .disabled
      case .unavailable, .notInstalled: .unavailable
      case .misconfigured: .misconfigured
      case .noNMEA(_, _, let speeds, nil) where speeds.count == 1: .wrongSpeed
      case .noNMEA: .noNMEA
      }
  }
}

package struct FixAbsence: Hashable, Sendable {
  package var reason: AbsenceReason
  package var since: MonotonicInstant
  /// Number of satellites with a signal, and with a strong one; `nil` unless it is searching and lists them.
  package var signals: Int?
  package var strongSignals: Int?

  /// Shortest time between two reports of which the second has only other numbers of signals.
  static let pause = Duration.seconds(10)
}

extension Sky {
  /// The signal from which on it is strong, dBHz.
  private static let strongSignal = 30.0

  var signals: (all: Int, strong: Int) {
    satellites.reduce(into: (0, 0)) { count, satellite in
      guard let signal = satellite.signal, signal > 0 else { return }
      count.0 += 1
      if signal >= Self.strongSignal { count.1 += 1 }
    }
  }
}

/// What a source has delivered since it was opened: for the reason of no fix.
struct SourceActivity: Sendable {
  /// Shortest time within which a source without a fix must deliver something, nanoseconds.
  private static let shortestLimit: Int64 = 5_000_000_000
  /// Time within which the messages of a receiver make an epoch, nanoseconds.
  private static let longestWait: Int64 = 10_000_000_000

  private var lastBytes = MonotonicInstant.zero
  private var lastMessage = MonotonicInstant.zero
  private var messages: UInt64 = 0
  /// The first message behind the newest epoch, or behind silence.
  private var waiting: MonotonicInstant?
  /// What the newest epoch shows; `nil` before one, and behind a fix.
  private var search: AbsenceReason?

  mutating func open(_ messages: UInt64, at instant: MonotonicInstant) {
    self = SourceActivity()
    (lastBytes, lastMessage, self.messages) = (instant, instant, messages)
  }

  /// Registers bytes; `messages` is the number of all sentences and messages so far.
  mutating func read(_ messages: UInt64, at instant: MonotonicInstant) {
    lastBytes = instant
    guard messages != self.messages else { return }
    self.messages = messages
    if waiting == nil || instant >= lastMessage.later(by: Self.shortestLimit) { waiting = instant }
    lastMessage = instant
  }

  /// Registers a line of a gpsd, which is a message of its own.
  mutating func readLine(at instant: MonotonicInstant) { read(messages &+ 1, at: instant) }

  mutating func epoch(_ reason: AbsenceReason?) { (search, waiting) = (reason, nil) }

  /// Why there is no fix, if that is known, and the instant at which that changes by itself. `timeout`, nanoseconds, is the
  /// time without a fix that counts as a loss; within two thirds of it, two epochs are due.
  func absence(
    after timeout: Int64, wasTracking: Bool, at instant: MonotonicInstant
  ) -> (reason: AbsenceReason?, until: MonotonicInstant?) {
    let limit = wasTracking ? timeout / 3 * 2 : max(timeout, Self.shortestLimit)
    let (silent, mute) = (lastBytes.later(by: limit), lastMessage.later(by: limit))
    if instant >= silent { return (.silent, nil) }
    if instant >= mute { return (.noNMEA, silent) }
    guard search == nil, let settled = waiting?.later(by: Self.longestWait) else { return (search, mute) }
    return instant >= settled ? (.noPosition, mute) : (nil, min(mute, settled))
  }
}
