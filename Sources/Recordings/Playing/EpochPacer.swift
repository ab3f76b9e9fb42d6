import GPSDProtocol
import LocationCore

/// A splitter of plain NMEA logs into epochs, timed by the times in them. An epoch begins with the first sentence that
/// has a new time of day; a sentence that is up to 2 s late (some receivers' GLL) does not begin one, unless the epoch
/// has one of its kind: then the clock may have stepped back, which the next time decides. The interval to the next
/// epoch is the difference of their times, also over midnight; steps back, steps of more than 60 s and epochs without a
/// time count as 1 s. Sentences without a time belong to the preceding epoch, but for those that begin the log: they
/// are the first of each epoch, if they may be (Garmin's PGRME comes behind the solution that it is about). Reports of
/// gpsd are timed by the times of day in their `TPV`, UBX by its time of the week, as UTC once a message has both;
/// before, beside sentences with times, it has none.
struct EpochPacer: Sendable {
  /// An epoch, or a part of it.
  struct Burst: Hashable, Sendable {
    let advance: Duration
    /// Whether that time is not the log's, see ``RecordedInput/Content/gap``.
    let isAfterGap: Bool
    let bytes: [UInt8]
  }

  /// Length of unknown, implausible and long intervals.
  static let fallback = Duration.seconds(1)
  private static let longest = Duration.seconds(60)
  /// Intervals as short as this differ in the decimals of their times.
  private static let shortPeriod: Int64 = 500_000_000
  private static let tolerance: Int64 = 10_000_000
  private static let lateness: Int64 = 2_000_000_000
  private static let maximumBurst = 32_768
  /// GPS time ahead of UTC since 2017, nanoseconds: assumed until a message states UTC.
  private static let leapSeconds: Int64 = 18_000_000_000

  /// What a part of a line says of the epochs.
  private enum Mark: Hashable {
    case time(Int64, Kind, isBare: Bool)
    case noTime(Kind)
    /// A sentence that never has a time and occurs once in an epoch.
    case untimed(SentenceType)
  }

  private enum Kind: Hashable {
    case sentence(SentenceType)
    case ubx(UBXType?)
    /// A `TPV` of gpsd.
    case report
  }

  private var decoder = NMEADecoder(checksums: .accept)
  private var bytes: [UInt8] = []
  private var advance: Duration = .zero
  private var isAfterGap = false
  private var time: Int64?
  /// The time of an epoch that followed a later one: of another receiver in the log, or after a step of the clock.
  private var earlier: Int64?
  private var isBare = false
  private var newest: [Kind: Int64] = [:]
  /// The kinds with a time in the current epoch.
  private var kinds: [Kind] = []
  /// The types without a time that came before the first time.
  private var leading: Set<SentenceType> = []
  /// Where the next epoch begins in `bytes`, if it does before its time.
  private var start: Int?
  /// Whether another file has begun: an earlier time is not a late sentence.
  private var isNewFile = false
  private var clock = UBXClock()
  private var hasSentenceTime = false
  /// Kinds that have a time, but came without one since the epoch began.
  private var timeless: [Kind] = []

  /// Adds a line of the log; returns the burst that it completes.
  mutating func add(_ line: [UInt8]) -> Burst? {
    var opening: (advance: Duration, isAfterGap: Bool)?
    for mark in marks(in: line) {
      guard let interval = add(mark) else { continue }
      opening = (
        max(opening?.advance ?? .zero, interval ?? Self.fallback), opening?.isAfterGap ?? false || interval == nil
      )
    }
    var finished: Burst?
    if let opening {
      let next = start.map { Array(bytes[$0...]) } ?? []
      if let start { bytes.removeSubrange(start...) }
      finished = flush()
      bytes = next
      advance += opening.advance
      isAfterGap = isAfterGap || opening.isAfterGap
    } else if bytes.count + line.count > Self.maximumBurst {
      finished = flush()
      if time == nil { advance += Self.fallback }
    }
    bytes += line
    return finished
  }

  /// The burst so far; the rest of the epoch may follow.
  mutating func flush() -> Burst? {
    guard !bytes.isEmpty else { return nil }
    let burst = Burst(advance: advance, isAfterGap: isAfterGap, bytes: bytes)
    bytes = []
    start = nil
    advance = .zero
    isAfterGap = false
    return burst
  }

  mutating func beginFile() { isNewFile = true }

  private mutating func marks(in line: [UInt8]) -> [Mark] {
    if Report.begins(line) {
      let report = line.withUnsafeBufferPointer { GPSDReport(line: $0, at: .zero) }
      guard case .position(let position) = report else { return [] }
      return [position.time.map { .time($0.nanosecondsOfDay, .report, isBare: false) } ?? .noTime(.report)]
    }
    if line.starts(with: [0xB5, 0x62]) {
      let stated = line.withUnsafeBytes {
        UBXFrame(whole: $0).flatMap { frame in time(of: frame).map { ($0, frame.type) } }
      }
      if let (time, type) = stated { return [.time(time, .ubx(type), isBare: false)] }
    }
    var marks: [Mark] = []
    line.withUnsafeBytes { line in
      decoder.decode(line) { event in
        guard case .sentence(let sentence) = event.payload else { return }
        let time: TimeOfDay?
        switch sentence {
        case .rmc(let rmc): time = rmc.time
        case .gga(let gga): time = gga.time
        case .gll(let gll): time = gll.time
        case .gns(let gns): time = gns.time
        case .zda(let zda): time = zda.time
        case .vtg, .hdt, .ths: return marks.append(.untimed(event.type))
        default: return
        }
        let kind = Kind.sentence(event.type)
        let mark = time.map { Mark.time($0.nanoseconds, kind, isBare: Self.isBare($0.nanoseconds, in: line)) }
        marks.append(mark ?? .noTime(kind))
      }
    }
    hasSentenceTime = hasSentenceTime || marks.contains { if case .time = $0 { true } else { false } }
    return marks
  }

  /// Whether a line has a time of whole seconds without decimals.
  private static func isBare(_ time: Int64, in line: UnsafeRawBufferPointer) -> Bool {
    guard time % 1_000_000_000 == 0 else { return false }
    let seconds = UInt64(time / 1_000_000_000)
    var field: [UInt8] = []
    field.append(digits: seconds / 3600 * 10_000 + seconds / 60 % 60 * 100 + seconds % 60, width: 6)
    field.append(UInt8(ascii: ","))
    return line.indices.contains { line[$0...].starts(with: field) }
  }

  /// The time of a UBX message, nanoseconds of the day; `nil` without one.
  private mutating func time(of frame: UBXFrame) -> Int64? {
    guard let timeOfWeek = frame.timeOfWeek else { return nil }
    let gps = Int64(timeOfWeek) % 86_400_000 * 1_000_000
    let assumed = gps - Self.leapSeconds + (gps < Self.leapSeconds ? TimeOfDay.day : 0)
    let wasKnown = clock.isKnown
    guard let stated = clock.time(of: frame)?.nanoseconds else { return hasSentenceTime ? nil : assumed }
    // The messages so far were timed by the assumption.
    if !wasKnown, !hasSentenceTime { time = time.map { ($0 + stated - assumed + TimeOfDay.day) % TimeOfDay.day } }
    return stated
  }

  /// The interval to the epoch that the mark begins, `.some(nil)` if unknown; `nil` if it belongs to the current epoch.
  private mutating func add(_ mark: Mark) -> Duration?? {
    switch mark {
    case .untimed(let type):
      if time == nil, timeless.isEmpty { leading.insert(type) }
      if time != nil, leading.contains(type) { start = start ?? bytes.count }
      return nil
    case .noTime(let kind):
      guard timeless.contains(kind) || timeless.count >= 16 else {
        timeless.append(kind)
        return nil
      }
      begin(time: nil, timeless: [kind])
      return .some(Self.fallback)
    case .time(let new, let kind, let isBare):
      defer { newest[kind] = new }
      guard let old = time else {
        let isFirst = timeless.isEmpty
        begin(time: new, kind)
        self.isBare = isBare
        return isFirst ? nil : .some(nil)
      }
      if belongs(new, kind, isBare, old) {
        if !kinds.contains(kind) { kinds.append(kind) }
        start = nil
        return nil
      }
      self.isBare = isBare
      return .some(interval(to: new, kind, from: old))
    }
  }

  /// Whether a time belongs to the current epoch. One that is late or coarser does, if it is the first of its kind.
  private func belongs(_ new: Int64, _ kind: Kind, _ isBare: Bool, _ old: Int64) -> Bool {
    let current = earlier ?? old
    let ahead = TimeOfDay.nearestDay(new - current)
    if abs(ahead) <= Self.tolerance { return true }
    guard !isNewFile, !kinds.contains(kind) else { return false }
    if ahead < 0, ahead >= -Self.lateness { return true }
    if earlier != nil, ahead > 0, TimeOfDay.nearestDay(new - old) <= Self.tolerance { return true }
    // Within a second, a receiver may have several epochs.
    let isLong = newest[kind].map { TimeOfDay.nearestDay(new - $0) > Self.shortPeriod } ?? false
    return (isBare || isLong) && TimeOfDay.isCoarser(new, than: current)
      || (self.isBare || isLong) && TimeOfDay.isCoarser(current, than: new)
  }

  /// Begins an epoch at another time; the interval to it is unknown if it is implausible.
  private mutating func interval(to new: Int64, _ kind: Kind, from old: Int64) -> Duration? {
    let behind = -TimeOfDay.nearestDay(new - old)
    if let earlier, behind >= -Self.tolerance, TimeOfDay.nearestDay(new - earlier) > 0 {
      // Time goes on from the earlier one.
      advance += Self.fallback
      isAfterGap = true
      begin(time: new, kind)
      return Self.interval(from: earlier, to: new)
    }
    if earlier == nil, !isNewFile, behind > 0, behind <= Self.lateness {
      earlier = new
      kinds = [kind]
      return .zero
    }
    begin(time: new, kind)
    return Self.interval(from: old, to: new)
  }

  private mutating func begin(time new: Int64?, _ kind: Kind? = nil, timeless without: [Kind] = []) {
    time = new
    earlier = nil
    isNewFile = false
    kinds = kind.map { [$0] } ?? []
    timeless = without
  }

  /// The time between two epochs; `nil` if it is implausible or long.
  private static func interval(from old: Int64, to new: Int64) -> Duration? {
    let difference = new - old
    let interval = Duration.nanoseconds(difference < -TimeOfDay.day / 2 ? difference + TimeOfDay.day : difference)
    return interval > .zero && interval <= longest ? interval : nil
  }
}
