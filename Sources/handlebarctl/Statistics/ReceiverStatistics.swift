import GPSDProtocol
import LocationCore

/// What a receiver sends: kinds of sentences, their order, its rhythm, its satellites. Memory stays bounded whatever comes.
struct ReceiverStatistics {
  /// More kinds than any receiver has; sentences of further ones are only counted.
  private static let kindBound = 512

  /// All bytes that were received, noise and frames of other protocols included.
  private(set) var bytes = 0
  /// Every kind, in the order in which they first came.
  private(set) var kinds: [KindTally] = []
  /// Sentences of kinds beyond the bound.
  private(set) var otherKinds = 0
  /// Accepted sentences that carry no checksum.
  private(set) var withoutChecksum = 0
  private(set) var epochs = 0
  private(set) var orders = OrderTally()
  private(set) var rhythm = RhythmTally()
  /// The systems, in the order in which they first came.
  private(set) var systems: [SystemTally] = []
  /// How often the satellites in view were told as a whole.
  private(set) var skies = 0
  /// Bytes of the fullest epoch.
  private(set) var fullestEpoch = 0
  /// UTC of the first and the last epoch with a date.
  private(set) var measured: ClosedRange<UTCInstant>?

  private var places: [SentenceKind: Int] = [:]
  private var sequence = EpochSequence()
  private var date: CalendarDate?
  private var sky = SkyCollector()
  private var received: ClosedRange<MonotonicInstant>?
  private var isStamped = false

  /// Notes bytes of a read; `isStamped` when the instant was measured.
  mutating func add(bytes count: Int, at instant: MonotonicInstant, isStamped: Bool) {
    bytes += count
    received = (received?.lowerBound ?? instant)...max(received?.upperBound ?? instant, instant)
    self.isStamped = self.isStamped || isStamped
  }

  /// Takes a sentence.
  mutating func take(_ event: borrowing NMEAEvent, at instant: MonotonicInstant) {
    guard case .sentence(let sentence) = event.payload else { return }
    if !event.raw.contains(UInt8(ascii: "*")) { withoutChecksum += 1 }
    let size = event.raw.count + 2
    let kind = SentenceKind(talker: event.talker, type: event.type)
    guard let place = place(of: kind, isDecoded: sentence != .unknown && sentence != .encapsulated) else {
      otherKinds += 1
      return
    }
    kinds[place].add(bytes: size, fields: event.fields.count, problems: SentenceLine.problems(of: event))
    if let ended = sequence.take(
      EpochSequence.Entry(kind: place, received: instant, bytes: size, role: EpochSequence.Role(sentence)))
    {
      close(ended)
    }
    switch sentence {
    case .rmc(let rmc): date = rmc.date ?? date
    case .zda(let zda): date = zda.date ?? date
    case .gsv(let gsv): sky.add(gsv, talker: event.talker)
    case .gsa(let gsa): sky.add(gsa, talker: event.talker)
    default: break
    }
  }

  /// Closes the epoch at hand: nothing more will come.
  mutating func finish() {
    if !sequence.entries.isEmpty { close(sequence) }
    sequence = EpochSequence()
  }

  /// The receiver's usual time from epoch to epoch, seconds; `nil` before its second epoch.
  var period: Double? { rhythm.period.map { Double($0) * 1e-9 } }

  /// How long it sent, seconds: by the clock of the recording, else by the receiver's own.
  var seconds: Double {
    let measured = isStamped ? received.map { ($0.upperBound - $0.lowerBound).nanoseconds } ?? 0 : rhythm.span
    return Double(measured) * 1e-9 + (period ?? 0)
  }

  /// How much of a line of that speed it takes.
  func load(speed: Int?) -> LineLoad? {
    LineLoad(bytes: bytes, seconds: seconds, fullestEpoch: fullestEpoch, period: period, speed: speed)
  }

  /// Whether its dates lie before the day that has certainly passed: an old log, or weeks that were lost.
  var isRolloverSuspect: Bool {
    measured?.upperBound.date.isRolloverSuspect(floor: ReceiverConfiguration.floorDate) ?? false
  }

  private mutating func place(of kind: SentenceKind, isDecoded: Bool) -> Int? {
    if let known = places[kind] { return known }
    guard kinds.count < Self.kindBound else { return nil }
    places[kind] = kinds.count
    kinds.append(KindTally(kind, isDecoded: isDecoded))
    return kinds.count - 1
  }

  private mutating func close(_ ended: EpochSequence) {
    // What comes in front of the first time of day is a part of an epoch.
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
    for (gnss, list) in Dictionary(grouping: satellites, by: \.gnss).sorted(by: {
      Self.rank($0.key) < Self.rank($1.key)
    }) {
      let place = systems.firstIndex { $0.gnss == gnss } ?? systems.count
      if place == systems.count { systems.append(SystemTally(gnss)) }
      systems[place].add(list)
    }
  }

  private static func rank(_ gnss: GNSS?) -> Int { gnss?.rawValue ?? .max }
}

extension EpochSequence.Role {
  init(_ sentence: Sentence) {
    let time: TimeOfDay?
    switch sentence {
    case .rmc(let rmc): time = rmc.time
    case .gga(let gga): time = gga.time
    case .gll(let gll): time = gll.time
    case .gns(let gns): time = gns.time
    case .zda(let zda): time = zda.time
    case .pubx00(let pubx): time = pubx.time
    case .psti030(let psti): time = psti.time
    case .ptnlGGK(let ptnl): time = ptnl.time
    default:
      self = .other
      return
    }
    self = time.map(Self.timed) ?? .timeless
  }
}
