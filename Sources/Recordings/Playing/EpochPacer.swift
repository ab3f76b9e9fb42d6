import GPSDProtocol
import LocationCore

/// A splitter of plain NMEA logs into epochs, timed by the times in them.
///
/// An epoch begins with the first sentence that has a new time of day; a sentence that is up to 2 s late (some receivers'
/// GLL) does not begin one. The interval to the next epoch is the difference of their times, also over midnight; steps
/// back, steps of more than 60 s and epochs without a time count as 1 s. Sentences without a time belong to the preceding
/// epoch. Reports of gpsd are timed by the times of day in their `TPV`, UBX by its time of the week, as UTC once NAV-PVT has
/// both; before, beside sentences with times, it has none.
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
  /// GPS time ahead of UTC since 2017, nanoseconds.
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
  /// The time of day of the GPS week ahead of UTC, nanoseconds, once known, and whether a sentence had a time.
  private var gpsAhead: Int64?
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
    if let message = UBXTime(line) {
      if let utc = message.utc { gpsAhead = message.gps - utc }
      guard gpsAhead != nil || !hasSentenceTime else { return [] }
      let time = (message.gps - (gpsAhead ?? Self.leapSeconds)) % TimeOfDay.day
      return [.time(time < 0 ? time + TimeOfDay.day : time)]
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

/// The time of a UBX navigation message: of the GPS week, and of NAV-PVT also UTC, as nanoseconds of a day.
private struct UBXTime {
  let gps: Int64
  let utc: Int64?

  /// Messages that begin with the time of the week, by id: POSECEF, POSLLH, STATUS, DOP, SOL, PVT, VELECEF, VELNED,
  /// TIMEGPS, TIMEUTC, CLOCK, SVINFO, SAT, SIG, EOE.
  private static let timed: [UInt8] = [
    0x01, 0x02, 0x03, 0x04, 0x06, 0x07, 0x11, 0x12, 0x20, 0x21, 0x22, 0x30, 0x35, 0x43, 0x61,
  ]

  /// `nil` unless the bytes are a frame of such a message.
  init?(_ frame: [UInt8]) {
    guard frame.count >= 12, frame[0] == 0xB5, frame[1] == 0x62, frame[2] == 0x01, Self.timed.contains(frame[3]),
      case .complete(length: frame.count) = frame.withUnsafeBufferPointer({ BinaryFrame.scan($0, at: 0) })
    else { return nil }
    func number(_ offset: Int) -> UInt32 {
      frame[(6 + offset)..<(10 + offset)].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
    gps = Int64(number(0)) * 1_000_000 % TimeOfDay.day
    // Date and time are valid, and fully known.
    guard frame[3] == 0x07, frame.count >= 8 + 84, frame[6 + 11] & 7 == 7 else {
      utc = nil
      return
    }
    let second = (Int64(frame[6 + 8]) * 60 + Int64(frame[6 + 9])) * 60 + Int64(frame[6 + 10])
    utc = second * 1_000_000_000 + Int64(Int32(truncatingIfNeeded: number(16)))
  }
}
