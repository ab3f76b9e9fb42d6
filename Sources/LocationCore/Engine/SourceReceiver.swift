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
  /// Names the source in error messages.
  package let device: String
  package let configuration: ReceiverConfiguration

  package init(
    id: Int, form: Form = .sentences, device: String = "", configuration: ReceiverConfiguration = .init()
  ) {
    self.id = id
    self.form = form
    self.device = device
    self.configuration = configuration
  }
}

/// A source in the engine: its receivers and its newest values.
package struct SourceReceiver: Sendable {
  package let setup: SourceSetup
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
  /// The seek target, until an epoch after it is published; and whether the open epoch began before it.
  private var seekTarget: (instant: MonotonicInstant, isWithinEpoch: Bool)?

  init(_ setup: SourceSetup) {
    self.setup = setup
    form = setup.form
    nmea = NMEAReceiver(configuration: setup.configuration)
    gpsd = GPSDReceiver(configuration: setup.configuration)
  }

  /// Totals since the source was configured.
  package var counters: ReceiverCounters { previousCounters + nmea.counters + gpsd.counters }

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
    finish()
  }

  /// Closes the open epoch at the end of the input.
  mutating func endOfInput(at instant: MonotonicInstant) {
    guard !isLeadIn else { return }
    nmea.endOfInput(at: instant) { closed.append(copy $0) }
    gpsd.endOfInput { closed.append(copy $0) }
    finish()
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
    guard let other = gpsd.deadline else { return deadline = nmea.deadline }
    deadline = nmea.deadline.map { min($0, other) } ?? other
  }
}
