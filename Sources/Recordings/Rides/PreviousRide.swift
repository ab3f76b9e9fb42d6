import LocationCore

/// The ride that was recorded before this run of the recorder, which may go on.
struct PreviousRide: Sendable {
  /// Fixes without a date after which it is given up to find out.
  private static let patience = 600
  /// Measured times this much before the end are another clock's.
  private static let overlap = Duration.seconds(2)

  let ride: Ride
  let summary: RideSummary
  /// The fixes of this run so far, none of them dated.
  private(set) var early: [(fix: Fix, isSuspect: Bool)] = []
  private let splitStop: Duration

  /// The newest ride that nobody is writing, first of all one of this boot that no fix has dated yet; `nil` when there
  /// is none, or it cannot be read. `besides` is left out.
  init?(newestIn directory: RideDirectory, boot: String, policy: RidePolicy, besides: RideName? = nil) {
    do throws(RecordingError) {
      let prefix = RideName(utc: nil, boot: boot, instant: .zero).stem.dropLast()
      func rank(_ ride: Ride) -> (Int, UTCInstant, UTCInstant, String) {
        (ride.name.stem.hasPrefix(prefix) ? 1 : 0, ride.age, ride.modified, ride.name.stem)
      }
      let newest = try directory.rides().filter { $0.name != besides && !directory.isInProgress($0) }.max {
        rank($0) < rank($1)
      }
      guard let newest else { return nil }
      ride = newest
      summary = try directory.summary(of: newest, splitStop: policy.splitStop.inSeconds)
      splitStop = policy.splitStop
    } catch {
      return nil
    }
  }

  /// Whether the pause since then is short enough, by the monotonic clock; never after another boot.
  func goesOn(at instant: MonotonicInstant, boot: String) -> Bool {
    guard summary.boot == boot, let last = summary.lastInstant, instant >= last else { return false }
    return isShort(instant - last)
  }

  /// Whether the pause up to a fix is short enough, by the receiver's times.
  func goesOn(with measured: UTCInstant) -> Bool {
    guard let last = summary.lastFix, measured >= last + (Duration.zero - Self.overlap) else { return false }
    return isShort(measured - last)
  }

  /// When its first run began, on the clock of its boot; `nil` when its first file does not tell.
  func begun(in directory: RideDirectory) -> MonotonicInstant? {
    guard let path = directory.files(of: ride).first else { return nil }
    do throws(RecordingError) {
      var reader = try RecordingReader(path: path)
      // Damage may stand before the header.
      for _ in 0..<8 {
        guard case .header(let header)? = try reader.next() else { continue }
        return header["run"].flatMap { Int64($0) }.map { .zero + .milliseconds($0) }
      }
    } catch {
      // It stays under its name.
    }
    return nil
  }

  /// Keeps a fix that told no date, to be added when one does; `false` when so many came that none will.
  mutating func keep(_ fix: Fix, isSuspect: Bool) -> Bool {
    early.append((fix, isSuspect))
    return early.count < Self.patience
  }

  /// What the ride came to, to be added to.
  func sums(in directory: RideDirectory) -> RideAccumulator {
    var sums = RideAccumulator(splitStop: splitStop.inSeconds)
    do throws(RecordingError) {
      _ = try RideSummary(adding: directory.files(of: ride), to: &sums)
    } catch {
      // What could be read counts.
    }
    sums.interrupt()
    return sums
  }

  private func isShort(_ pause: Duration) -> Bool {
    (summary.hasMoved ? pause + .nanoseconds(Int64(min(summary.standing, 1e9) * 1e9)) : pause) < splitStop
  }
}
