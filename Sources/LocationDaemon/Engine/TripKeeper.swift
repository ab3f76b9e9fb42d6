import LocationCore
import Recordings

/// Keeps the trips over restarts. Their state is written when one changes, and every so often; the fixes since then are
/// taken from the ride, if it was recorded, so that both have the same figures. Without a recording they are lost.
final class TripKeeper: EngineObserver {
  /// Time between two writes in motion.
  static let interval = Duration.seconds(10)
  private static let pausedInterval = Duration.seconds(60)
  /// Shortest time between two writes, however fast clients change trips.
  private static let spacing = Duration.seconds(1)
  /// Time before a write from which a recording is decoded, for the receiver's order of sentences and its date.
  private static let leadIn = Duration.seconds(30)
  private static let file = StateFile(name: "trips", version: 5)

  private let directory: StateDirectory
  private let boot = BootID.current
  private var written: MonotonicInstant?
  private var isDue = false

  init(in directory: StateDirectory) { self.directory = directory }

  func observe(_ event: EngineEvent, at instant: MonotonicInstant, in engine: borrowing LocationEngine) {
    switch event {
    case .fix:
      guard !engine.desk.trips.isEmpty else { return }
      write(engine.desk.trips, at: instant, after: engine.desk.trips.isMoving ? Self.interval : Self.pausedInterval)
    case .told(.trip, to: .subscribers):
      isDue = true
      write(engine.desk.trips, at: instant, after: Self.spacing)
    default: break
    }
  }

  func deadline(in engine: borrowing LocationEngine) -> MonotonicInstant? {
    isDue ? written.map { $0 + Self.spacing } : nil
  }

  func expire(at instant: MonotonicInstant, in engine: borrowing LocationEngine) {
    if isDue { write(engine.desk.trips, at: instant, after: Self.spacing) }
  }

  private func write(_ trips: TripTable, at instant: MonotonicInstant, after pause: Duration) {
    if let written, instant - written < pause { return }
    written = instant
    write(trips, at: instant)
  }

  func write(_ trips: TripTable, at instant: MonotonicInstant) {
    isDue = false
    let head = "\(boot) \(instant.nanoseconds)"
    directory.write(Self.file, [head] + trips.lines)
  }

  /// The trips as they were when the daemon ended, with the fixes that the newest rides in `recordings` add.
  func restored(recordings: String?, splitStop: Double) -> TripTable {
    let kept = directory.readLines(Self.file) { Kept(lines: $0, splitStop: splitStop, refused: &$1) }
    var trips = kept?.trips ?? TripTable(splitStop: splitStop)
    // What can be read counts.
    if let kept, !trips.isEmpty, let recordings { try? resume(&trips, after: kept, in: recordings) }
    trips.interrupt()
    return trips
  }

  private struct Kept {
    let boot: String
    let instant: MonotonicInstant
    let trips: TripTable

    init?(lines: [Substring], splitStop: Double, refused: inout Int) {
      guard let head = lines.first,
        let trips = TripTable(lines: Array(lines.dropFirst()), splitStop: splitStop, refused: &refused)
      else { return nil }
      let words = head.split(separator: " ")
      if words.count == 2, let nanoseconds = Int64(words[1]) {
        (boot, instant) = (String(words[0]), MonotonicInstant(nanoseconds: nanoseconds))
      } else {
        // The fixes since then are of no known boot.
        (boot, instant) = ("", .zero)
        refused += 1
      }
      self.trips = trips
    }
  }

  private func resume(
    _ trips: inout TripTable, after kept: Kept, in recordings: String
  ) throws(RecordingError) {
    let directory = try RideDirectory(existing: recordings)
    let files = try directory.files(since: kept.instant, of: kept.boot, current: boot)
    guard !files.isEmpty else { return }
    var reader = try RideReader(files: files, followsLinks: false)
    reader.skipped = (kept.boot, kept.instant - Self.leadIn)
    var isAfter = false
    while try reader.advance() {
      let isLater = reader.boot == kept.boot && reader.lastInstant.map { $0 >= kept.instant } ?? false
      for moment in reader.moments {
        if case .fix(let fix) = moment, kept.trips.ends(with: fix.fix) {
          trips = kept.trips
          trips.resume(behind: fix.fix)
          isAfter = true
        } else if isAfter || isLater && kept.trips.isUnused {
          trips.add(moment)
        }
      }
    }
  }
}

extension TripTable {
  fileprivate mutating func add(_ moment: RideMoment) {
    switch moment {
    case .fix(let fix): add(fix.fix, fix.sensed, isSuspect: fix.isSuspect)
    case .interrupted: interrupt()
    case .lost, .source, .follow, .lap: break
    }
  }
}
