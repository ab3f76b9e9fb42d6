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

  /// How many rides are passed by that cannot go on.
  private static let patienceWithRides = 8

  /// The newest ride that nobody is writing and that may go on, first of all one of this boot that no fix has dated
  /// yet; `nil` when there is none, or it cannot be read. `besides` is left out. A ride of another boot in which no fix
  /// told the date never goes on: whatever its name says, it does not hide the one before it.
  init?(
    newestIn directory: RideDirectory, at utc: UTCInstant?, boot: String, policy: RidePolicy, besides: RideName? = nil
  ) {
    do throws(RecordingError) {
      let prefix = RideName(utc: nil, boot: boot, instant: .zero).stem.dropLast()
      func rank(_ ride: Ride) -> (Int, UTCInstant, UTCInstant, String) {
        (ride.name.stem.hasPrefix(prefix) ? 1 : 0, ride.age, ride.modified, ride.name.stem)
      }
      let rides = try directory.rides(at: utc).filter { $0.name != besides && !directory.isInProgress($0) }
      for ride in rides.sorted(by: { rank($0) > rank($1) }).prefix(Self.patienceWithRides) {
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
    return directory.header(ofFileAt: path)?["run"].flatMap { Int64($0) }.map { .zero + .milliseconds($0) }
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
    // The time of standing is a file's word.
    let stood = summary.standing > 0 ? Duration(finiteSeconds: min(summary.standing, 1e9)) ?? .zero : .zero
    return (summary.hasMoved ? pause + stood : pause) < splitStop
  }
}
