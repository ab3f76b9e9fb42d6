import LocationCore

/// The ride recorded before this run of the recorder, which may continue.
struct PreviousRide: Sendable {
  /// Largest number of fixes without a date that are kept.
  private static let maximumEarlyFixes = 600
  /// Measured times further before the end are from a wrong clock.
  private static let overlap = Duration.seconds(2)

  let ride: Ride
  let summary: RideSummary
  /// The fixes of this run so far, all without a date.
  private(set) var early: [(fix: Fix, isSuspect: Bool)] = []
  private let splitStop: Duration

  /// Largest number of rides that are considered.
  private static let maximumRides = 8

  /// The newest ride that may continue and is not being written, preferably one of this boot without a date; `nil` if there
  /// is none or it cannot be read. `besides` is excluded. A ride of another boot without a date never continues, and does
  /// not hide the one before it.
  init?(
    newestIn directory: RideDirectory, at utc: UTCInstant?, boot: String, policy: RidePolicy, besides: RideName? = nil
  ) {
    do throws(RecordingError) {
      let prefix = RideName(utc: nil, boot: boot, instant: .zero).stem.dropLast()
      func rank(_ ride: Ride) -> (Int, UTCInstant, UTCInstant, String) {
        (ride.name.stem.hasPrefix(prefix) ? 1 : 0, ride.age, ride.modified, ride.name.stem)
      }
      let rides = try directory.rides(at: utc).filter { $0.name != besides && !directory.isInProgress($0) }
      for ride in rides.sorted(by: { rank($0) > rank($1) }).prefix(Self.maximumRides) {
        let summary = try directory.summary(of: ride, splitStop: policy.splitStop.inSeconds)
        guard summary.boot == boot || summary.lastFix != nil else { continue }
        self.ride = ride
        self.summary = summary
        splitStop = policy.splitStop
        return
      }
      return nil
    } catch {
      return nil
    }
  }

  /// Whether the pause is short enough by the monotonic clock; false after another boot.
  func continues(at instant: MonotonicInstant, boot: String) -> Bool {
    guard summary.boot == boot, let last = summary.lastInstant, instant >= last else { return false }
    return isShort(instant - last)
  }

  /// Whether the pause up to a fix is short enough by the receiver's times.
  func continues(with measured: UTCInstant) -> Bool {
    guard let last = summary.lastFix, measured >= last + (Duration.zero - Self.overlap) else { return false }
    return isShort(measured - last)
  }

  /// Start of its first run, on the clock of its boot; `nil` if its first file does not contain it.
  func begun(in directory: RideDirectory) -> MonotonicInstant? {
    guard let path = directory.files(of: ride).first else { return nil }
    return directory.header(ofFileAt: path)?["run"].flatMap { Int64($0) }.map { .zero + .milliseconds($0) }
  }

  /// Keeps a fix without a date until one has a date; `false` if there are too many.
  mutating func keep(_ fix: Fix, isSuspect: Bool) -> Bool {
    early.append((fix, isSuspect))
    return early.count < Self.maximumEarlyFixes
  }

  /// The figures of the ride, to be continued.
  func sums(in directory: RideDirectory) -> RideAccumulator {
    var sums = RideAccumulator(splitStop: splitStop.inSeconds)
    do throws(RecordingError) {
      _ = try RideSummary(adding: directory.files(of: ride), to: &sums)
    } catch {
      // The readable part counts.
    }
    sums.interrupt()
    return sums
  }

  private func isShort(_ pause: Duration) -> Bool {
    // The duration comes from a file: bound it.
    let stood = summary.standing > 0 ? Duration(finiteSeconds: min(summary.standing, 1e9)) ?? .zero : .zero
    return (summary.hasMoved ? pause + stood : pause) < splitStop
  }
}
