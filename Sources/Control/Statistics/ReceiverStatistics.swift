import LocationCore

/// Statistics of a receiver's output in bounded memory: kinds of messages, their order, rate, satellites.
struct ReceiverStatistics {
  /// More kinds than any receiver has; messages of further kinds are only counted.
  private static let kindBound = 512
  /// Bytes received, noise and frames of other protocols included.
  private(set) var bytes = 0
  private(set) var kinds: [KindTally] = []
  private(set) var otherKinds = 0
  private(set) var withoutChecksum = 0
  private(set) var epochs = 0
  private(set) var orders = OrderTally()
  private(set) var rhythm = RhythmTally()
  private(set) var systems: [SystemTally] = []
  /// Complete reports of the satellites in view.
  private(set) var skies = 0
  private(set) var fullestEpoch = 0
  private(set) var errors = ErrorTally()
  /// UTC of the first and the last epoch with a date.
  private(set) var measured: ClosedRange<UTCInstant>?
  private var places: [MessageKind: Int] = [:]
  private var sequence = EpochSequence()
  private var date: CalendarDate?
  private var clock = UBXClock()
  private var sky = SkyCollector()
  private var received: ClosedRange<MonotonicInstant>?
  private var isStamped = false

  /// Counts the bytes of a read; `isStamped` when the instant was measured.
  mutating func add(bytes count: Int, at instant: MonotonicInstant, isStamped: Bool) {
    bytes += count
    received = (received?.lowerBound ?? instant)...max(received?.upperBound ?? instant, instant)
    self.isStamped = self.isStamped || isStamped
  }

  mutating func count(_ event: borrowing NMEAEvent, at instant: MonotonicInstant) {
    if case .ubx = event.payload, let frame = UBXFrame(event.raw) { return count(frame, event.raw.count, at: instant) }
    guard case .sentence(let sentence) = event.payload else { return }
    if !event.raw.contains(UInt8(ascii: "*")) { withoutChecksum += 1 }
    let size = event.raw.count + 2
    let values = SentenceValues(event)
    add(
      .sentence(event.talker, event.type), isDecoded: values != nil, bytes: size, fields: event.fields.count,
      problems: values?.malformed, EpochSequence.Role(event.type, values), at: instant)
    switch sentence {
    case .rmc(let rmc): date = rmc.date ?? date
    case .zda(let zda): date = zda.date ?? date
    case .gsv(let gsv): sky.add(gsv, talker: event.talker)
    case .gsa(let gsa): sky.add(gsa, talker: event.talker)
    default: break
    }
  }

  private mutating func count(_ frame: UBXFrame, _ size: Int, at instant: MonotonicInstant) {
    let role = clock.time(of: frame).map { EpochSequence.Role.timed($0) } ?? .other
    add(
      .ubx(frame.code), isDecoded: frame.type != nil, bytes: size, fields: nil, problems: UBXValues(frame)?.malformed,
      role,
      at: instant)
    if let time = frame.timeOfDay, let measured = frame.measured {
      // In a leap second the instant has the date of the day after it.
      date = (measured - .nanoseconds(time.nanoseconds)).date
    }
    if frame.isWhole, frame.type == .navSAT || frame.type == .navSVINFO { sky.add(frame) }
  }

  private mutating func add(
    _ kind: MessageKind, isDecoded: Bool, bytes: Int, fields: Int?, problems: [String]?, _ role: EpochSequence.Role,
    at instant: MonotonicInstant
  ) {
    guard let place = place(of: kind, isDecoded: isDecoded) else {
      otherKinds += 1
      return
    }
    kinds[place].add(bytes: bytes, fields: fields, problems: problems ?? [])
    let entry = EpochSequence.Entry(kind: place, received: instant, bytes: bytes, role: role)
    if let ended = sequence.add(entry) { close(ended) }
  }

  mutating func count(_ epoch: borrowing Epoch) {
    if case .fix(let fix, _) = epoch.outcome { errors.add(fix) }
  }

  mutating func finish() {
    if !sequence.entries.isEmpty { close(sequence) }
  }

  /// Whether it is a receiver's output: a sentence of unknown type without a checksum may be a fragment of anything.
  var isReceiver: Bool {
    kinds.contains(where: \.isDecoded) || kinds.reduce(otherKinds) { $0 + $1.count } > withoutChecksum
  }

  /// The most frequent interval between epochs, seconds; `nil` before the second epoch.
  var period: Double? { rhythm.period.map { Double($0) * 1e-9 } }

  /// Duration of the output, seconds: by the recording's stamps, else by the receiver's times.
  var seconds: Double {
    let measured = isStamped ? received.map { $0.upperBound - $0.lowerBound } ?? .zero : rhythm.span
    return measured.inSeconds + (period ?? 0)
  }

  /// Sentences of each talker, most first. Proprietary sentences have no talker.
  var talkers: [(talker: Talker, count: Int)] {
    var counts: [Talker: Int] = [:]
    for tally in kinds { if let talker = tally.kind.talker { counts[talker, default: 0] += tally.count } }
    return counts.sorted { ($1.value, $0.key.code) < ($0.value, $1.key.code) }.map { ($0.key, $0.value) }
  }

  /// Load of a serial line of `speed` bit/s.
  func load(speed: Int?) -> LineLoad? {
    guard seconds > 0 else { return nil }
    return LineLoad(
      mean: Double(bytes) * LineLoad.bitsPerByte / seconds,
      fullest: period.map { Double(fullestEpoch) * LineLoad.bitsPerByte / $0 }, speed: speed)
  }

  /// Whether its dates are before the floor date: an old log, or a week rollover.
  var isRolloverSuspect: Bool {
    measured.map { $0.upperBound.date < ReceiverConfiguration.floorDate } ?? false
  }

  private mutating func place(of kind: MessageKind, isDecoded: Bool) -> Int? {
    if let known = places[kind] { return known }
    guard kinds.count < Self.kindBound else { return nil }
    places[kind] = kinds.count
    kinds.append(KindTally(kind: kind, isDecoded: isDecoded))
    return kinds.count - 1
  }

  private mutating func close(_ ended: EpochSequence) {
    epochs += 1
    orders.add(ended.entries.map(\.kind))
    for place in Set(ended.entries.map(\.kind)) { kinds[place].epochs += 1 }
    fullestEpoch = max(fullestEpoch, ended.entries.reduce(0) { $0 + $1.bytes })
    rhythm.add(ended.time)
    if let date, let time = ended.time, let instant = UTCInstant(date: date, time: time) {
      measured = min(measured?.lowerBound ?? instant, instant)...max(measured?.upperBound ?? instant, instant)
    }
    guard let satellites = sky.take() else { return }
    skies += 1
    let lists = Dictionary(grouping: satellites, by: \.gnss)
    for (gnss, list) in lists.sorted(by: { $0.key?.rawValue ?? .max < $1.key?.rawValue ?? .max }) {
      let place = systems.firstIndex { $0.gnss == gnss } ?? systems.count
      if place == systems.count { systems.append(SystemTally(gnss)) }
      systems[place].add(list)
    }
  }
}

struct ErrorTally {
  /// The bases in order of preference; the last are fixes whose error is unknown.
  static let bases: [(basis: ErrorBasis?, name: StaticString, words: String)] = [
    (.ubx, "ubx", "UBX"), (.gst, "gst", "GST"), (.proprietary, "proprietary", "proprietary sentences"),
    (.dilution, "dilution", "dilution of precision"), (nil, "unknown", "unknown"),
  ]
  /// Of the errors of place and altitude.
  private(set) var horizontal: [ErrorBasis?: Int] = [:]
  private(set) var vertical: [ErrorBasis?: Int] = [:]

  mutating func add(_ fix: borrowing Fix) {
    horizontal[fix.horizontalBasis, default: 0] += 1
    vertical[fix.verticalBasis, default: 0] += 1
  }
}

/// Load of a serial line. A byte is ten bits: 8N1.
struct LineLoad {
  /// bit/s over the whole time.
  let mean: Double
  /// bit/s of the fullest epoch; `nil` when the period is unknown.
  let fullest: Double?
  /// Capacity of the line, bit/s; `nil` when unknown.
  let speed: Int?

  static let bitsPerByte = 10.0

  /// Share of the capacity, 0 to 1 and above.
  func share(_ bitsPerSecond: Double?) -> Double? {
    guard let bitsPerSecond, let speed else { return nil }
    return bitsPerSecond / Double(speed)
  }
}
