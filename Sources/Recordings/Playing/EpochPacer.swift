import GPSDProtocol
import LocationCore

/// A splitter of plain NMEA logs into epochs, timed by the times in them.
///
/// An epoch begins with the first sentence that has a new time of day; a sentence that is up to 2 s late (some
/// receivers' GLL) does not begin one. The interval to the next epoch is the difference of their times, also over
/// midnight; steps back, steps of more than 60 s and epochs without a time count as 1 s. Sentences without a time
/// belong to the preceding epoch. Reports of gpsd are timed by the times of day in their `TPV`, UBX by its time of the
/// week, as UTC once a message has both; before, beside sentences with times, it has none.
struct EpochPacer: Sendable {
  /// An epoch, or a part of it.
  struct Burst: Hashable, Sendable {
    /// Time since the previous burst.
    let advance: Duration
    /// Whether that time is not the log's, see ``RecordedInput/Content/gap``.
    let isAfterGap: Bool
    let bytes: [UInt8]
  }

  /// Length of unknown, implausible and long intervals.
  static let fallback = Duration.seconds(1)
  private static let longest = Duration.seconds(60)
  private static let tolerance: Int64 = 10_000_000
  private static let lateness: Int64 = 2_000_000_000
  private static let maximumBurst = 32_768
  /// GPS time ahead of UTC since 2017, nanoseconds: assumed until a message states UTC.
  private static let leapSeconds: Int64 = 18_000_000_000

  private enum Mark: Hashable {
    case time(Int64)
    case noTime(SentenceType)
  }

  /// Represents the type of a `TPV`; no sentence has it.
  private static let report = SentenceType.none

  private var decoder = NMEADecoder(checksums: .accept)
  private var bytes: [UInt8] = []
  private var advance: Duration = .zero
  private var isAfterGap = false
  private var time: Int64?
  /// Whether another file has begun: an earlier time is not a late sentence.
  private var isNewFile = false
  private var clock = UBXClock()
  /// Whether a sentence had a time.
  private var hasSentenceTime = false
  /// Types of the sentences without a time since the epoch began.
  private var timeless: [SentenceType] = []

  /// Adds a line of the log; returns the burst that it completes.
  mutating func take(_ line: [UInt8]) -> Burst? {
    var opening: (advance: Duration, isAfterGap: Bool)?
    for mark in marks(in: line) {
      guard let interval = take(mark) else { continue }
      opening = (
        max(opening?.advance ?? .zero, interval ?? Self.fallback), opening?.isAfterGap ?? false || interval == nil
      )
    }
    var finished: Burst?
    if let opening {
      finished = flush()
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
    advance = .zero
    isAfterGap = false
    return burst
  }

  /// Continues the log in another file.
  mutating func beginFile() { isNewFile = true }

  private mutating func marks(in line: [UInt8]) -> [Mark] {
    if Report.begins(line) {
      let report = line.withUnsafeBufferPointer { GPSDReport(line: $0, at: .zero) }
      guard case .position(let position) = report else { return [] }
      return [position.time.map { .time($0.nanosecondsOfDay) } ?? .noTime(Self.report)]
    }
    if line.starts(with: [0xB5, 0x62]) {
      let stated = line.withUnsafeBytes { UBXFrame(whole: $0).flatMap { time(of: $0) } }
      if let stated { return [.time(stated)] }
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
        default: return
        }
        marks.append(time.map { .time($0.nanoseconds) } ?? .noTime(event.type))
      }
    }
    hasSentenceTime = hasSentenceTime || marks.contains { if case .time = $0 { true } else { false } }
    return marks
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
  private mutating func take(_ mark: Mark) -> Duration?? {
    switch mark {
    case .noTime(let type):
      guard timeless.contains(type) || timeless.count >= 16 else {
        timeless.append(type)
        return nil
      }
      begin(time: nil, timeless: [type])
      return .some(Self.fallback)
    case .time(let new):
      let old = time
      if let old, Self.isSame(new, as: old, orLate: !isNewFile) { return nil }
      isNewFile = false
      guard old != nil || !timeless.isEmpty else {
        time = new
        return nil
      }
      begin(time: new, timeless: [])
      return .some(old.flatMap { Self.interval(from: $0, to: new) })
    }
  }

  private mutating func begin(time new: Int64?, timeless types: [SentenceType]) {
    time = new
    timeless = types
  }

  private static func isSame(_ new: Int64, as old: Int64, orLate: Bool) -> Bool {
    var ahead = new - old
    if ahead > TimeOfDay.day / 2 { ahead -= TimeOfDay.day }
    return ahead <= tolerance && ahead >= (orLate ? -lateness : -tolerance)
  }

  /// The time between two epochs; `nil` if it is implausible or long.
  private static func interval(from old: Int64, to new: Int64) -> Duration? {
    let difference = new - old
    let interval = Duration.nanoseconds(difference < -TimeOfDay.day / 2 ? difference + TimeOfDay.day : difference)
    return interval > .zero && interval <= longest ? interval : nil
  }
}
