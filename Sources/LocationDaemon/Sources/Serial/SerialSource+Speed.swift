import LocationCore
import NIOCore
import SystemPackage

// The speed of the line: its search, and how much of it is used.
extension SerialSource {
  /// The speed of the open line, bit/s; `nil` if it has none.
  var lineSpeed: Int? { open.flatMap { $0.line.isUSB ? nil : $0.speed } }

  /// The bytes that the driver of the line has lost in the last minute; `nil` if it does not count them.
  var lineOverruns: UInt64? {
    guard let open, let count = open.overruns, let total = SerialLine.overruns(of: open.line.descriptor) else {
      return nil
    }
    return count.growth(to: total, at: EngineClock.machine)
  }

  /// The speeds to try, at least one.
  var speeds: [Int] {
    guard let speed = options.speed else {
      return SpeedFinder.order(lastGood: lastGoodSpeed ?? options.receiver?.speed)
    }
    // A receiver that was set up keeps its speed while it has power.
    let set = [(ReceiverWish.Output.ubx, true), (.nmea, true), (.nmea, false)]
      .compactMap { options.receiver?.speed(of: speed, for: $0, isUblox: $1) }
    return [speed] + Set(set).subtracting([speed]).sorted()
  }

  /// Restarts the search if bytes but no sentences arrive: a receiver can change its speed without a hang-up.
  func checkSentences(at instant: MonotonicInstant) {
    if receiver?.isBeingSetUp == true {
      open?.lastCheck = nil
      return
    }
    let last = open?.lastCheck
    if let last, instant - last.at < Self.checkInterval { return }
    let received = inlet.received
    let sentences = inlet.sentenceCount
    open?.lastCheck = (instant, received.messages, sentences, received.bytes)
    guard let last else { return }
    restoreSettings(newSentences: sentences &- last.sentences, at: instant)
    let bytes = received.bytes &- last.bytes
    if let current = open, !current.line.isUSB {
      open?.load = min(Double(bytes) * 10 / (instant - last.at).inSeconds / Double(current.speed), 1)
    }
    guard received.messages == last.messages, bytes >= UInt64(SpeedFinder.minimumBytes) else { return }
    inlet.log.notice("no sentences any more, detecting the speed again", metadata: ["DEVICE": "\(options.path)"])
    open?.hasReportedNoNMEA = false
    findSpeed()
  }

  func noteOverruns(at instant: MonotonicInstant) {
    guard let line = open?.line, let total = SerialLine.overruns(of: line.descriptor) else { return }
    var count = open?.overruns ?? MinuteCount()
    count.note(total, at: instant)
    open?.overruns = count
  }

  func findSpeed() {
    guard let current = open else { return }
    current.search?.timer.cancel()
    let received = inlet.received
    let now = EngineClock.machine
    let finder = SpeedFinder(
      order: current.line.needsSpeed ? speeds : [speeds[0]], sentences: received.messages, bytes: received.bytes,
      at: now)
    open?.search = (finder, searchTimer(at: finder.deadline ?? now))
  }

  private func searchTimer(at deadline: MonotonicInstant) -> Scheduled<Void> {
    inlet.eventLoop.schedule(at: deadline) { [weak self] in self?.expireSearch() }
  }

  private func expireSearch() {
    guard let current = open, var finder = current.search?.finder else { return }
    let received = inlet.received
    let action = finder.expire(sentences: received.messages, bytes: received.bytes, at: EngineClock.machine)
    open?.search?.finder = finder
    if let deadline = finder.deadline { open?.search?.timer = searchTimer(at: deadline) }
    switch action {
    case nil: return
    case .set(let speed): if current.line.needsSpeed { setSpeed(speed) }
    case .exhausted(let bytes, let next):
      reportExhausted(bytes: bytes)
      if current.line.needsSpeed { setSpeed(next) }
    }
  }

  func setSpeed(_ speed: Int) {
    guard let line = open?.line else { return }
    do throws(Errno) {
      try SerialLine.setSpeed(speed, of: line.descriptor)
      open?.speed = speed
      inlet.note(.lineSpeed(speed))
    } catch {
      inlet.log.warning(
        "cannot set the speed of the line: \(error)", metadata: ["DEVICE": "\(options.path)", "SPEED": "\(speed)"])
    }
  }

  /// Reports once that no speed gives sentences; a silent receiver may be switched off, and later on again.
  private func reportExhausted(bytes: Int) {
    guard let current = open else { return }
    // A prompt is short.
    if bytes >= SpeedFinder.minimumBytes || inlet.binary != nil, !current.hasReportedNoNMEA {
      open?.hasReportedNoNMEA = true
      let tried = options.speed.map { [$0] } ?? (current.line.needsSpeed ? SpeedFinder.candidates : [])
      inlet.note(.failed(.noNMEA(device: options.path, bytes: bytes, speeds: tried, binary: inlet.binary)))
    }
    let disabled = bytes == 0 ? SerialDiagnosis.disabled(path: options.path) : nil
    if let disabled, !current.hasReportedDisabled { inlet.note(.failed(disabled)) }
    if disabled == nil, current.hasReportedDisabled { inlet.note(.opened) }
    open?.hasReportedDisabled = disabled != nil
  }
}
