/// An input of a source: data, or an event of its transport.
package enum SourceInput {
  case opening
  case opened
  /// Bytes of one read. They open a closed source: in a recording, bytes after a loss imply its return.
  case bytes(UnsafeRawBufferPointer)
  /// One line of a gpsd: its report, `nil` for a class without positions; or a track's point, at its own interval.
  case report(GPSDReport?, isPoint: Bool = false)
  /// The line has another speed, bit/s; `nil` if bytes take no time on it, or if it is unknown.
  case lineSpeed(Int?)
  /// The receiver states that it was switched on at an instant: its search for a fix began then.
  case poweredOn(MonotonicInstant)
  /// The device was unplugged and may return.
  case unplugged(SourceError)
  case failed(SourceError)
  /// The open epoch is complete; the source keeps its state.
  case finishEpoch
  /// The input is complete; nothing follows.
  case ended
  /// A recording continues after a time that is unknown, or longer than the one that passes in its replay.
  case gap
  /// Indirect: with the receiver in place, every input would have its size.
  indirect case replaced(SourceReceiver)
}

package struct SourceSetup: Sendable {
  package enum Form: Sendable {
    case sentences
    case reports
    /// Either. A recording may hold both about the same epochs (`gpspipe -r -w`): the first usable input decides.
    case either
  }

  package var id: SourceID
  package let form: Form
  /// Whether its input arrives as it is measured: of fixes that arrive late, only the newest is published.
  package let isLive: Bool
  package let device: String
  package var configuration: ReceiverConfiguration
  /// Offset added to every measured time; grows with each pass of a looped recording.
  package var timeShift = Duration.zero

  package init(
    id: SourceID, form: Form = .sentences, isLive: Bool = false, device: String = "",
    configuration: ReceiverConfiguration = .init()
  ) {
    self.id = id
    self.form = form
    self.isLive = isLive
    self.device = device
    self.configuration = configuration
  }
}

package struct SourceReceiver: Sendable {
  package var setup: SourceSetup
  package internal(set) var sky: Sky?
  package internal(set) var noise: PseudorangeNoise?
  package internal(set) var isOpen = false
  /// The search for the first fix; `nil` until the source is opened.
  package internal(set) var firstFix: FirstFixSearch?
  var activity = SourceActivity()
  private var noiseCount = MinuteCount()
  private var checksumCount = MinuteCount()
  /// Message count when `noNMEA` was reported, or `nil`.
  var messageCountAtNoNMEA: UInt64?
  /// Epochs closed by the last input and not yet processed.
  var closed: [Epoch] = []
  /// When silence closes the open epoch or a held fix is released. Stored, because computing it copies the receivers.
  private(set) var deadline: MonotonicInstant?
  private var form: SourceSetup.Form
  private var nmea: NMEAReceiver
  private var gpsd = GPSDReceiver()
  private var previousCounters = ReceiverCounters()
  /// The newest fix of those that arrived late, since the first of them, until it is published.
  private var late: (epoch: Epoch, since: MonotonicInstant, until: MonotonicInstant)?
  private var superseded: UInt64 = 0
  /// The number of sentences when the last epoch closed, and when it last had grown by then.
  private var sentencesAtClose: (count: UInt64, grown: MonotonicInstant?) = (0, nil)
  /// The instant from which on epochs are published, until one is; and whether the open epoch began before it.
  private var start: (instant: MonotonicInstant, isWithinEpoch: Bool)?

  package init(_ setup: SourceSetup) {
    self.setup = setup
    form = setup.form
    nmea = NMEAReceiver(configuration: setup.configuration)
  }

  /// Totals since the source was configured.
  package var counters: ReceiverCounters {
    var sum = previousCounters + nmea.counters + gpsd.counters
    sum.superseded = superseded
    return sum
  }

  private var faultTotals: (noise: UInt64, badChecksum: UInt64) {
    let (earlier, faults) = (previousCounters.nmea, nmea.faults)
    return (earlier.noise &+ faults.noise, earlier.checksum &+ faults.badChecksum)
  }

  /// Bytes outside of sentences and messages, and sentences with a wrong checksum, in the last minute; `nil` of reports.
  package func faults(inLastMinuteAt instant: MonotonicInstant) -> (noise: UInt64, badChecksum: UInt64)? {
    if case .reports = form { return nil }
    let faults = faultTotals
    return (
      noiseCount.growth(to: faults.noise, at: instant), checksumCount.growth(to: faults.badChecksum, at: instant)
    )
  }

  /// The time between epochs; `nil` until it is learned.
  package var period: Duration? { nmea.period ?? gpsd.period }

  /// Processes the bytes of one read and adds its sentences, each with CR LF, if they are wanted.
  mutating func receive(
    _ bytes: UnsafeRawBufferPointer, at instant: MonotonicInstant, copyingTo sentences: inout [UInt8]?
  ) {
    if case .either = form, bytes.contains(UInt8(ascii: "$")) || bytes.contains(0xB5) { form = .sentences }
    if case .reports = form { return }
    if noiseCount.isDue(at: instant) {
      let faults = faultTotals
      noiseCount.note(faults.noise, at: instant)
      checksumCount.note(faults.badChecksum, at: instant)
    }
    nmea.receive(bytes, at: instant, sentence: { sentences?.append(sentence: $0) }, { closed.append(copy $0) })
    activity.read(messageCount, at: instant)
    noteDeadline()
  }

  package var interference: Interference { nmea.interference }
  var reportedInterference = Interference()
  var firstMalformed: UBXType? { nmea.firstMalformed }

  private(set) var reported: Set<Oddity> = []
  /// The reasons of restarts that were reported.
  var resets: Set<Interference.ResetReason> = []

  /// Whether that has not been reported; from now on it has.
  mutating func isFirst(_ oddity: Oddity) -> Bool { reported.insert(oddity).inserted }
  mutating func setLineSpeed(_ speed: Int?) { nmea.setLineSpeed(speed) }

  mutating func beginSearch(at instant: MonotonicInstant) {
    if isOpen, firstFix?.end.map({ $0 < instant }) ?? true { firstFix = FirstFixSearch(begin: instant) }
  }

  mutating func receive(_ report: GPSDReport, at instant: MonotonicInstant) {
    switch form {
    case .sentences: return
    case .reports: break
    case .either: if case .position = report { form = .reports }
    }
    gpsd.receive(report, at: instant) { closed.append(copy $0) }
    noteDeadline()
  }

  /// Also adds the sentences that a false frame has hidden until then, each with CR LF.
  mutating func expire(at instant: MonotonicInstant, copyingTo sentences: inout [UInt8]) {
    if let due = late?.until, due <= instant, let epoch = takeLate() { closed.append(epoch) }
    nmea.expire(at: instant, sentence: { sentences.append(sentence: $0) }, { closed.append(copy $0) })
    gpsd.expire(at: instant) { closed.append(copy $0) }
    noteDeadline()
  }

  /// The newest late fix, if one is withheld, to be published now.
  mutating func takeLate() -> Epoch? {
    guard var epoch = exchange(&late, with: nil)?.epoch else { return nil }
    epoch.isNewestOfLate = true
    noteDeadline()
    return epoch
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

  mutating func endOfInput(at instant: MonotonicInstant) {
    nmea.endOfInput(at: instant) { closed.append(copy $0) }
    gpsd.endOfInput { closed.append(copy $0) }
    noteDeadline()
  }

  mutating func gap(at instant: MonotonicInstant) {
    nmea.gap(at: instant)
    gpsd.gap(at: instant)
  }

  /// Receives input that precedes the position at which a recording continues, and publishes nothing.
  package mutating func prime(_ input: SourceInput, at instant: MonotonicInstant) {
    switch input {
    case .bytes(let bytes):
      var sentences: [UInt8]?
      receive(bytes, at: instant, copyingTo: &sentences)
    case .report(let report?, _): receive(report, at: instant)
    case .gap: gap(at: instant)
    default: break
    }
    closed.removeAll(keepingCapacity: true)
  }

  /// Ends the priming: epochs that begin from `instant` on are published.
  package mutating func start(at instant: MonotonicInstant) {
    start = (instant, nmea.isEpochOpen || gpsd.isEpochOpen)
    noteDeadline()
  }

  /// A receiver that has received nothing, with the counters and the state of this one.
  package func successor(_ setup: SourceSetup) -> SourceReceiver {
    var next = SourceReceiver(setup)
    next.previousCounters = counters
    (next.superseded, next.sentencesAtClose) = (superseded, sentencesAtClose)
    (next.reported, next.resets) = (reported, resets)
    (next.isOpen, next.messageCountAtNoNMEA, next.sky, next.noise) = (isOpen, messageCountAtNoNMEA, sky, noise)
    (next.activity, next.noiseCount, next.checksumCount) = (activity, noiseCount, checksumCount)
    return next
  }

  mutating func publishes(_ epoch: borrowing Epoch) -> Bool {
    guard let start else { return true }
    let isPast = epoch.received >= start.instant && !start.isWithinEpoch
    self.start = isPast ? nil : (start.instant, false)
    return isPast
  }

  /// Time without sentences after which a receiver is taken for one that sends none.
  static let sentencePause = Duration.milliseconds(1500)

  /// Whether sentences are to be made of the epoch that has closed, as the receiver sends none. A gpsd sends its own.
  mutating func lacksSentences(at instant: MonotonicInstant) -> Bool {
    let count = sentenceCount
    if count != sentencesAtClose.count { sentencesAtClose = (count, instant) }
    if case .reports = form, setup.isLive { return false }
    return sentencesAtClose.grown.map { instant - $0 > Self.sentencePause } ?? true
  }

  /// Sentences with a valid checksum since the source was configured.
  package var sentenceCount: UInt64 { previousCounters.nmea.sentences + nmea.sentenceCount }
  /// Sentences and UBX frames with a valid checksum since the source was configured.
  package var messageCount: UInt64 { sentenceCount + previousCounters.nmea.ubxFrames + nmea.frameCount }
  private mutating func noteDeadline() { deadline = nmea.deadline.earlier(gpsd.deadline).earlier(late?.until) }
}

/// The search for the first fix after a source was opened, or its receiver switched on.
package struct FirstFixSearch: Hashable, Sendable {
  package let begin: MonotonicInstant
  package private(set) var end: MonotonicInstant?

  /// How long it took; `nil` until there is a fix.
  package var duration: Duration? { end.map { $0 - begin } }
  mutating func didEnd(at instant: MonotonicInstant) { end = end ?? instant }
}

extension [UInt8] {
  fileprivate mutating func append(sentence event: borrowing NMEAEvent) {
    guard case .sentence = event.payload else { return }
    self += event.raw
    self += [0x0D, 0x0A]
  }
}

extension Epoch {
  /// The age of its fix, if it arrived late.
  func age(inLiveSource isLive: Bool, at instant: MonotonicInstant) -> Duration? {
    guard isNewestOfLate || isLive && delay > SourceReceiver.longestDelay else { return nil }
    return delay + (instant - received)
  }
}
