import LocationCore

// The set-up of the receiver, and whether it has lost it.
extension SerialSource {
  /// Longest wait from one set-up of a receiver that has lost its rate to the next.
  private static let longestSetupWait = Duration.seconds(600)

  /// Whether the receiver was not lost in its last set-up, which would then be repeated for ever.
  var maySetUp: Bool { receiver?.status?.phase != .lost }

  /// Starts to set up the receiver, or only to read its settings. Returns whether that is possible now.
  func setUpReceiver(applies: Bool) -> Bool {
    guard let open, open.search == nil, let receiver else { return false }
    receiver.begin(applies: applies, on: open.line.descriptor, speed: open.speed, isUSB: open.line.isUSB)
    return true
  }

  /// Sets a receiver up again that has lost its power, as it states, or judging by its rate or its protocol.
  func restoreSettings(newSentences: UInt64, at instant: MonotonicInstant) {
    guard let next = open?.nextSetup, let starts = open?.starts else { return }
    let isBackInNMEA = newSentences >= 3 && receiver?.status?.output == .ubx
    guard maySetUp, isBackInNMEA || hasLostItsRate || inlet.starts > starts else {
      open?.nextSetup.wait = Self.checkInterval
      return
    }
    guard instant >= next.at, setUpReceiver(applies: true) else { return }
    open?.nextSetup = (instant + next.wait, min(next.wait * 2, Self.longestSetupWait))
  }

  /// Whether epochs come less often than they were set to: the receiver has lost its power. One that needed no set-up has
  /// nothing to lose.
  private var hasLostItsRate: Bool {
    guard let settings = receiver?.status?.settings, settings.contains(where: { $0.outcome != .same }),
      let setting = settings.first(where: { $0.name == .period }), setting.isAsWanted, let period = inlet.period
    else { return false }
    return period > .milliseconds(setting.wanted) * 3 / 2
  }

  func receiverDidSetUp(_ status: ReceiverStatus) {
    guard let current = open else { return }
    // What was only read is still to be set.
    if !status.settings.contains(where: { $0.outcome == .planned }) { open?.starts = inlet.starts }
    if status.phase == .lost { findSpeed() } else if current.line.needsSpeed { lastGoodSpeed = current.speed }
  }
}
