/// An input of a source: data, or an event of its transport.
package enum SourceInput {
  /// An attempt to open the device begins.
  case opening
  /// The device is open.
  case opened
  /// Bytes of one read. They open a closed source: in a recording, bytes after a loss imply its return.
  case bytes(UnsafeRawBufferPointer)
  /// One line of a gpsd: its report, or `nil` for a class without positions.
  case report(GPSDReport?)
  /// The device was unplugged and may return.
  case unplugged(SourceError)
  /// The device cannot be opened, or sends nothing usable.
  case failed(SourceError)
  /// The open epoch is complete; the source keeps its state.
  case finishEpoch
  /// The input is complete; nothing follows.
  case ended
  /// A recording continues after a time that is unknown, or longer than the one that passes in its replay.
  case gap
  /// A recording continues with another measurement, unrelated to the one before.
  case restart
  /// A recording continues at another position; published as a loss, because the track in between is unknown.
  case seek
  /// Input up to `seekTarget` primes the receiver and is not published.
  case leadIn
  /// The seek target is reached.
  case seekTarget
}

/// The configuration of a source in the engine.
package struct SourceSetup: Sendable {
  /// The form of a source's input.
  package enum Form: Sendable {
    /// NMEA sentences.
    case sentences
    /// Reports of a gpsd.
    case reports
    /// Either. A recording may hold both about the same epochs (`gpspipe -r -w`): the first usable input decides.
    case either
  }

  /// Identifies the source for as long as the engine exists; never reused.
  package let id: Int
  package let form: Form
  /// Whether its input arrives as it is measured: of fixes that arrive late, only the newest is published.
  package let isLive: Bool
  /// Names the source in error messages.
  package let device: String
  package var configuration: ReceiverConfiguration

  package init(
    id: Int, form: Form = .sentences, isLive: Bool = false, device: String = "",
    configuration: ReceiverConfiguration = .init()
  ) {
    self.id = id
    self.form = form
    self.isLive = isLive
    self.device = device
    self.configuration = configuration
  }
}

/// A source in the engine: its receivers and its newest values.
package struct SourceReceiver: Sendable {
  package private(set) var setup: SourceSetup
  /// Offset added to every measured time; grows with each pass of a looped recording.
  package internal(set) var timeShift = Duration.zero
  /// The newest satellites.
  package internal(set) var sky: Sky?
  /// Error estimates of the newest published fix's epoch.
  package internal(set) var noise: PseudorangeNoise?
  /// Whether the device is open.
  package internal(set) var isOpen = false
  /// Sentence count when `noNMEA` was reported, or `nil`.
  var sentenceCountAtNoNMEA: UInt64?
  /// Epochs closed by the last input and not yet processed.
  var closed: [Epoch] = []
  /// The instant at which silence closes the open epoch or a held fix is released. Stored, because computing it copies
  /// the receivers.
  private(set) var deadline: MonotonicInstant?

  private var form: SourceSetup.Form
  private var nmea: NMEAReceiver
  private var gpsd: GPSDReceiver
  /// Counters of the receivers before the last restart.
  private var previousCounters = ReceiverCounters()
  private var isLeadIn = false
  /// The newest fix of those that arrived late, since the first of them, until it is published.
  private var late: (epoch: Epoch, since: MonotonicInstant, until: MonotonicInstant)?
  private var superseded: UInt64 = 0
  /// The seek target, until an epoch after it is published; and whether the open epoch began before it.
  private var seekTarget: (instant: MonotonicInstant, isWithinEpoch: Bool)?

  init(_ setup: SourceSetup) {
    self.setup = setup
    form = setup.form
    nmea = NMEAReceiver(configuration: setup.configuration)
    gpsd = GPSDReceiver(configuration: setup.configuration)
  }

  /// Totals since the source was configured.
  package var counters: ReceiverCounters {
    var sum = previousCounters + nmea.counters + gpsd.counters
    sum.superseded = superseded
    return sum
  }

  /// The time between epochs; `nil` until it is learned.
  package var period: Duration? { nmea.period ?? gpsd.period }

  /// Processes the bytes of one read.
  mutating func receive(_ bytes: UnsafeRawBufferPointer, at instant: MonotonicInstant) {
    guard acceptsSentences(bytes) else { return }
    nmea.receive(bytes, at: instant) { closed.append(copy $0) }
    finish()
  }

  /// Processes the bytes of one read and returns its sentences, each with CR LF.
  mutating func receiveCopying(_ bytes: UnsafeRawBufferPointer, at instant: MonotonicInstant) -> [UInt8] {
    var sentences: [UInt8] = []
    guard acceptsSentences(bytes) else { return sentences }
    nmea.receive(
      bytes, at: instant,
      sentence: { event in
        guard case .sentence = event.payload else { return }
        sentences += event.raw
        sentences += [0x0D, 0x0A]
      }, { closed.append(copy $0) })
    finish()
    return sentences
  }

  /// Whether sentences are used; in either form, the first usable input decides.
  private mutating func acceptsSentences(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if case .either = form, bytes.contains(UInt8(ascii: "$")) { form = .sentences }
    if case .reports = form { return false }
    return true
  }

  mutating func setLineSpeed(_ speed: Int?) { nmea.setLineSpeed(speed) }

  /// Processes a report of a gpsd.
  mutating func receive(_ report: GPSDReport, at instant: MonotonicInstant) {
    switch form {
    case .sentences: return
    case .reports: break
    case .either: if case .position = report { form = .reports }
    }
    gpsd.receive(report, at: instant) { closed.append(copy $0) }
    finish()
  }

  /// Closes an epoch ended by silence and releases a held fix whose hold time has elapsed.
  mutating func expire(at instant: MonotonicInstant) {
    nmea.expire(at: instant) { closed.append(copy $0) }
    gpsd.expire(at: instant) { closed.append(copy $0) }
    if var due = late, due.until <= instant {
      late = nil
      due.epoch.isNewestOfLate = true
      closed.append(due.epoch)
    }
    finish()
  }

  /// Delay from which on a fix arrived late: the process or the network stood still.
  static let longestDelay = Duration.milliseconds(1500)
  /// Time for which newer bytes may follow those of a late fix.
  static let longestPause = Duration.milliseconds(100)
  /// Longest time for which late fixes are withheld.
  static let longestWithholding = Duration.milliseconds(500)

  /// Withholds the fix of an epoch that arrived late, in place of an older one. Returns whether it did.
  mutating func withholds(_ epoch: borrowing Epoch, at instant: MonotonicInstant) -> Bool {
    guard setup.isLive, case .fix = epoch.outcome, !epoch.isNewestOfLate else { return false }
    guard late != nil || epoch.delay > Self.longestDelay else { return false }
    if late != nil { superseded &+= 1 }
    let since = late?.since ?? instant
    let until = min(epoch.received + Self.longestPause, since + Self.longestWithholding)
    late = nil
    if until > instant { late = (copy epoch, since, until) }
    noteDeadline()
    return until > instant
  }

  /// Closes the open epoch at the end of the input.
  mutating func endOfInput(at instant: MonotonicInstant) {
    guard !isLeadIn else { return }
    late = nil
    nmea.endOfInput(at: instant) { closed.append(copy $0) }
    gpsd.endOfInput { closed.append(copy $0) }
    finish()
  }

  /// Registers a gap in a recording.
  mutating func gap(at instant: MonotonicInstant) {
    nmea.gap(at: instant)
    gpsd.gap(at: instant)
  }

  /// Resets the receivers with another policy for sentences without a checksum.
  mutating func setChecksums(_ policy: ChecksumPolicy) {
    guard policy != setup.configuration.checksums else { return }
    setup.configuration.checksums = policy
    restart()
  }

  /// Resets the receivers; the counters continue.
  mutating func restart(isLeadIn: Bool = false) {
    previousCounters = counters
    form = setup.form
    nmea = NMEAReceiver(configuration: setup.configuration)
    gpsd = GPSDReceiver(configuration: setup.configuration)
    deadline = nil
    seekTarget = nil
    self.isLeadIn = isLeadIn
  }

  /// Ends the lead-in at the seek target. An epoch that began before it is not published.
  mutating func reachSeekTarget(at instant: MonotonicInstant) {
    isLeadIn = false
    seekTarget = (instant, nmea.isEpochOpen || gpsd.isEpochOpen)
    noteDeadline()
  }

  /// Whether an epoch lies after the seek target and may be published.
  mutating func isPastSeekTarget(_ epoch: borrowing Epoch) -> Bool {
    guard let target = seekTarget else { return true }
    let isPast = epoch.received >= target.instant && !target.isWithinEpoch
    seekTarget = isPast ? nil : (target.instant, false)
    return isPast
  }

  /// Sentences with a valid checksum since the source was configured.
  package var sentenceCount: UInt64 { previousCounters.nmea.sentences + nmea.sentenceCount }

  private mutating func finish() {
    if isLeadIn { closed.removeAll(keepingCapacity: true) }
    noteDeadline()
  }

  private mutating func noteDeadline() {
    guard !isLeadIn else { return deadline = nil }
    deadline = nmea.deadline
    if let other = gpsd.deadline { deadline = deadline.map { min($0, other) } ?? other }
    if let late { deadline = deadline.map { min($0, late.until) } ?? late.until }
  }
}

extension Epoch {
  /// The age of its fix, if it arrived late.
  func age(inLiveSource isLive: Bool, at instant: MonotonicInstant) -> Duration? {
    guard isNewestOfLate || isLive && delay > SourceReceiver.longestDelay else { return nil }
    return delay + (instant - received)
  }
}
