import LocationCore

/// The ride recorded before this run of the recorder, which may continue.
struct PreviousRide: Sendable {
  /// Measured times further before the end are from a wrong clock.
  private static let overlap = Duration.seconds(2)

  let ride: Ride
  let summary: RideSummary
  /// Its figures to be continued; `nil` if they have yet to be read.
  let sums: RideAccumulator?
  let splitStop: Duration

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

  private func isShort(_ pause: Duration) -> Bool {
    // The duration comes from a file: bound it.
    let stood = summary.standing > 0 ? Duration(finiteSeconds: min(summary.standing, 1e9)) ?? .zero : .zero
    return (summary.hasMoved ? pause + stood : pause) < splitStop
  }
}

/// The search for the previous ride, in pieces: it may have to be read, and be of any size.
struct PreviousRideSearch: ~Copyable, Sendable {
  private static let maximumRides = 8
  /// A ride with this many parts is not continued: its files must get numbers, too.
  private static let lastPart = RideName.maximumPart / 2

  private(set) var found: PreviousRide?
  private let directory: RideDirectory
  private let boot: String
  private let splitStop: Duration
  private var rides: [Ride]
  private var reader: RideSummaryReader?

  var isOver: Bool { found != nil || rides.isEmpty }

  /// Preferably one of this boot without a date; of another boot such a one never continues, nor hides the one before.
  init(among rides: [Ride], in directory: RideDirectory, boot: String, splitStop: Duration) {
    let prefix = RideName(utc: nil, boot: boot, instant: .zero).stem.dropLast()
    let ranked = rides.map { ride in
      (ride: ride, rank: (ride.name.stem.hasPrefix(prefix) ? 1 : 0, ride.age, ride.modified, ride.name.stem))
    }
    var first: [Ride] = []
    for (ride, _) in ranked.sorted(by: { $0.rank > $1.rank }) where first.count < Self.maximumRides {
      if ride.parts.last ?? .max < Self.lastPart, !directory.isInProgress(ride) { first.append(ride) }
    }
    self.rides = first.reversed()
    self.directory = directory
    self.boot = boot
    self.splitStop = splitStop
  }

  mutating func advance(reading limit: Int) {
    guard found == nil, let ride = rides.last else { return }
    do throws(RecordingError) {
      if reader == nil {
        if let summary = directory.indexedSummary(of: ride, splitStop: splitStop.inSeconds) {
          return consider(summary, nil)
        }
        reader = try RideSummaryReader(ride, in: directory, splitStop: splitStop.inSeconds)
      }
      guard try reader?.advance(reading: limit) == true else { return }
      reader?.keepIndex()
      if let summary = reader?.summary { consider(summary, reader?.sums) }
    } catch {
      // A ride that cannot be read does not continue.
      rides.removeLast()
      reader = nil
    }
  }

  private mutating func consider(_ summary: RideSummary, _ sums: RideAccumulator?) {
    guard let ride = rides.popLast() else { return }
    reader = nil
    guard summary.boot == boot || summary.lastFix != nil else { return }
    found = PreviousRide(ride: ride, summary: summary, sums: sums, splitStop: splitStop)
  }
}
