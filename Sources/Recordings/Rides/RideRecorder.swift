import LocationCore

/// Records rides: every byte that every source sends, and the events, into files that rotate.
///
/// A ride is what lies between two long stops (``RidePolicy/splitStop``), not what one run recorded: after a power cut
/// at a petrol station the ride before is gone on with. On the same boot the monotonic clock tells at once how long the
/// pause was; after another boot no clock is believed until the first fix tells the date, and then what was recorded
/// so far is renamed to be the next part of that ride. In the same way a ride that was begun by a clock that was wrong
/// or not set gets the name that its fixes tell.
///
/// It is crash-safe: whole records in one `write`, on the disk at the latest 5 s after they happened. Its calls
/// wait for the disk (`fdatasync` can take seconds on slow flash), so it belongs on a thread of its own and
/// never on the one that publishes. The first failure ends the recording: it is thrown once, stays
/// readable in ``failure``, and every later call does nothing.
package struct RideRecorder: ~Copyable, Sendable {
  /// A name that is off by no more than this stays.
  static let nameTolerance = Duration.seconds(60)

  /// The ride's name.
  package private(set) var name: RideName
  /// The failure that ended the recording.
  package private(set) var failure: RecordingError?
  /// What went wrong although the recording goes on, or was put right, a line each; whoever tells it empties this.
  package var notices: [String] = []
  /// Bytes written to all files since the start.
  package private(set) var bytesWritten = 0
  /// The figures of the ride so far, as its files give them.
  package var figures: RideFigures { sums.figures }

  private let directory: RideDirectory
  private let header: RecordingHeader
  private let boot: String
  private let policy: RidePolicy
  private var writer = RecordingWriter()
  private var file: RecordingFile
  /// The ride's files by their numbers; this boot wrote those from `ownParts` on, runs before this one `inherited` of them.
  private var part: Int
  private var ownParts: Int
  private var inherited: Int
  /// When the first byte of this run was due, on the clock of this boot.
  private let begun: MonotonicInstant
  /// When the ride began, on the clock of this boot; `nil` when another boot began it.
  private var rideBegun: MonotonicInstant?
  private var hasRecorded = false
  private var newest: MonotonicInstant
  private var sums: RideAccumulator
  private var previous: PreviousRide?
  private var rotation: RotationPolicy
  private var sync = SyncPolicy()
  private var isStopped = false
  /// What the date is, by the newest fix that told it, else by the system clock at the start; `nil` while nobody knows.
  private var clock: (utc: UTCInstant, instant: MonotonicInstant)?

  /// Begins a ride in the directory, or goes on with the newest one; removes the rides that are too many there now.
  ///
  /// - Parameters:
  ///   - utc: the system clock; `nil`, or a time before ``RideName/clockFloor``, while it is not set.
  ///   - boot: the kernel's boot id.
  package init(
    in path: String, header: RecordingHeader, boot: String, policy: RidePolicy = RidePolicy(),
    at instant: MonotonicInstant, utc: UTCInstant?
  ) throws(RecordingError) {
    let directory = try RideDirectory(path: path)
    var header = header
    header.fields.append(.init("run", String(max(0, instant.nanoseconds / 1_000_000))))
    let clock = utc.flatMap { $0 >= RideName.clockFloor ? (utc: $0, instant: instant) : nil }
    let joined = directory.joinPieces()
    let previous = PreviousRide(newestIn: directory, at: clock?.utc, boot: boot, policy: policy)
    let continued = previous.flatMap { $0.goesOn(at: instant, boot: boot) ? $0 : nil }
    var name = continued?.ride.name ?? RideName(utc: utc, boot: boot, instant: instant)
    let part = (continued?.ride.parts.last ?? 0) + 1
    if continued != nil {
      file = try directory.create(name, part: part, header: header)
    } else {
      file = try directory.create(&name, header: header) {
        RideName(utc: utc, boot: boot, instant: instant, duplicate: $0)
      }
    }
    self.directory = directory
    self.clock = clock
    notices = joined.map { "the ride \($0.stem) was in two pieces and is whole again" }
    self.header = header
    self.boot = boot
    self.policy = policy
    self.name = name
    self.part = part
    var earlier = continued == nil ? previous : nil
    if let continued, continued.summary.lastFix == nil, let begun = continued.begun(in: directory) {
      // No fix has dated it yet: which ride it is, and its name, are open as they were when it began.
      rideBegun = begun
      ownParts = continued.ride.parts.first ?? part
      inherited = part - ownParts
      earlier = PreviousRide(newestIn: directory, at: clock?.utc, boot: boot, policy: policy, besides: name)
    } else {
      rideBegun = continued == nil ? instant : nil
      ownParts = part
      inherited = 0
    }
    self.previous = earlier?.summary.boot != boot ? earlier : nil
    sums = continued?.sums(in: directory) ?? RideAccumulator(splitStop: policy.splitStop.inSeconds)
    begun = instant
    newest = instant
    rotation = RotationPolicy(begun: instant)
    bytesWritten = self.file.size
    sync.wrote(at: instant)
    makeRoom()
  }

  /// Where the file in progress is.
  package var path: String { file.path }

  /// When ``tick(at:)`` is to be called next; `nil` when nothing waits for the disk.
  package var deadline: MonotonicInstant? { isActive ? sync.deadline : nil }

  /// Records one read from a source.
  package mutating func read(
    _ bytes: [UInt8], from source: Int, at instant: MonotonicInstant, utc: UTCInstant?
  ) throws(RecordingError) {
    guard isActive else { return }
    var records: [UInt8] = []
    writer.burst(bytes, from: source, at: instant, utc: utc, into: &records)
    try append(records, at: instant)
  }

  /// Records an event.
  package mutating func event(_ event: RecordedEvent, at instant: MonotonicInstant) throws(RecordingError) {
    guard isActive else { return }
    var records: [UInt8] = []
    writer.event(event, into: &records)
    try append(records, at: instant)
  }

  /// A fix was published; its bytes were given to ``read(_:from:at:utc:)`` before. Nothing of it is written: it
  /// tells the time, and when a ride is over.
  package mutating func published(_ fix: Fix, isSuspect: Bool, at instant: MonotonicInstant) throws(RecordingError) {
    guard isActive else { return }
    if let measured = fix.measured, measured >= RideName.clockFloor {
      clock = (measured, instant)
      dated(fix, measured)
    }
    if previous?.keep(fix, isSuspect: isSuspect) == false { previous = nil }
    let isParted = sums.parts(with: fix)
    sums.add(fix, isSuspect: isSuspect)
    if isParted { try part(at: instant, utc: fix.measured) }
  }

  /// The state of a source changed: what led to it is worth having on the disk.
  package mutating func stateChanged(at instant: MonotonicInstant) throws(RecordingError) {
    guard isActive else { return }
    try synchronize()
  }

  /// Writes what a silent source left unfinished, and synchronises when it is time.
  package mutating func tick(at instant: MonotonicInstant) throws(RecordingError) {
    guard isActive else { return }
    var records: [UInt8] = []
    writer.releaseSilent(at: instant, into: &records)
    try append(records, at: instant)
    if sync.isDue(at: instant) { try synchronize() }
  }

  /// Ends the recording with everything on the disk. A run in which nothing came leaves nothing behind.
  package mutating func stop(at instant: MonotonicInstant) throws(RecordingError) {
    guard isActive else { return }
    var records: [UInt8] = []
    writer.finish(into: &records)
    try append(records, at: instant)
    try synchronize()
    isStopped = true
    if !hasRecorded { RecordingFile.remove(file.path) }
  }

  private var isActive: Bool { failure == nil && !isStopped }
}

extension RideRecorder {
  private mutating func append(_ records: [UInt8], at instant: MonotonicInstant) throws(RecordingError) {
    guard !records.isEmpty else { return }
    if rotation.isDue(size: file.size, adding: records.count, at: instant) { try rotate(at: instant) }
    do throws(RecordingError) {
      try file.append(records)
    } catch {
      failure = error
      throw error
    }
    hasRecorded = true
    newest = max(newest, instant)
    bytesWritten += records.count
    sync.wrote(at: instant)
  }

  private mutating func synchronize() throws(RecordingError) {
    guard sync.isDirty else { return }
    do throws(RecordingError) {
      try file.synchronize()
    } catch {
      failure = error
      throw error
    }
    sync.synchronized()
  }

  private mutating func rotate(at instant: MonotonicInstant) throws(RecordingError) {
    try synchronize()
    do throws(RecordingError) {
      file = try directory.create(name, part: part + 1, header: header)
    } catch {
      failure = error
      throw error
    }
    part += 1
    opened(at: instant)
  }

  /// The ride is over; another one begins.
  private mutating func part(at instant: MonotonicInstant, utc: UTCInstant?) throws(RecordingError) {
    var records: [UInt8] = []
    writer.finish(into: &records)
    try append(records, at: instant)
    try synchronize()
    keepSummary()
    var next = RideName(utc: utc, boot: boot, instant: instant)
    do throws(RecordingError) {
      file = try directory.create(&next, header: header) {
        RideName(utc: utc, boot: boot, instant: instant, duplicate: $0)
      }
    } catch {
      failure = error
      throw error
    }
    name = next
    part = 1
    ownParts = 1
    inherited = 0
    rideBegun = instant
    previous = nil
    sums = RideAccumulator(splitStop: policy.splitStop.inSeconds)
    opened(at: instant)
  }

  private mutating func opened(at instant: MonotonicInstant) {
    rotation = RotationPolicy(begun: instant)
    bytesWritten += file.size
    sync.wrote(at: instant)
    makeRoom()
  }

  /// A fix tells the date: from here on it is known which ride this is and when it began.
  private mutating func dated(_ fix: Fix, _ measured: UTCInstant) {
    if let previous {
      self.previous = nil
      if previous.goesOn(with: measured), join(previous) { return }
    }
    guard let begun = rideBegun else { return }
    rideBegun = nil
    let start = measured + (begun - fix.received)
    if let told = name.start, told - start <= Self.nameTolerance, start - told <= Self.nameTolerance { return }
    let boot = boot
    let second = start + .milliseconds(500)
    rename { RideName(utc: second, boot: boot, instant: begun, duplicate: $0) }
  }

  /// Makes this boot's files the next parts of the ride before. Nothing is lost when that fails: it stays a ride of
  /// its own.
  private mutating func join(_ previous: PreviousRide) -> Bool {
    let offset = previous.ride.parts.last ?? 0
    do throws(RecordingError) {
      try moveFiles(to: previous.ride.name, offset: offset)
    } catch {
      notices.append("the ride \(previous.ride.name.stem) goes on as \(name.stem): \(error)")
      return false
    }
    name = previous.ride.name
    ownParts += offset
    part += offset
    rideBegun = nil
    directory.synchronize()
    sums = previous.sums(in: directory)
    let undated = (ownParts..<ownParts + inherited).map { directory.location(of: name.file(part: $0)) }
    if !undated.isEmpty {
      do throws(RecordingError) {
        _ = try RideSummary(adding: undated, to: &sums)
      } catch {
        // What could be read counts.
      }
      sums.interrupt()
    }
    for early in previous.early { sums.add(early.fix, isSuspect: early.isSuspect) }
    return true
  }

  private mutating func rename(to next: (_ duplicate: Int) -> RideName) {
    var duplicate = 1
    while duplicate < 1000 {
      let name = next(duplicate)
      do throws(RecordingError) {
        try moveFiles(to: name, offset: 0)
        self.name = name
        directory.synchronize()
        return
      } catch {
        guard error.reason == .exists else {
          notices.append("the ride stays \(self.name.stem), which began as \(name.stem): \(error)")
          return
        }
        duplicate += 1
      }
    }
  }

  /// Gives this boot's files the name of another ride, all or none: what was moved goes back when another one cannot
  /// be. What does not even go back is put together by the next recorder.
  private mutating func moveFiles(to next: RideName, offset: Int) throws(RecordingError) {
    var moved = ownParts
    do throws(RecordingError) {
      while moved < part {
        try RecordingFile.rename(location(name, moved), to: location(next, moved + offset))
        moved += 1
      }
      // The one that is being written is the last.
      try file.rename(to: location(next, part + offset))
    } catch {
      while moved > ownParts {
        moved -= 1
        do throws(RecordingError) {
          try RecordingFile.rename(location(next, moved + offset), to: location(name, moved))
        } catch {
          notices.append("the ride \(name.stem) is in two pieces until recording starts again: \(error)")
          break
        }
      }
      throw error
    }
  }

  private func location(_ name: RideName, _ part: Int) -> String { directory.location(of: name.file(part: part)) }

  /// The next list of rides need not read this one.
  private func keepSummary() {
    do throws(RecordingError) {
      guard let ride = try directory.ride(named: name.stem) else { return }
      let summary = RideSummary(sums, boot: boot, lastInstant: newest, damages: 0)
      directory.keep(summary, of: ride, splitStop: policy.splitStop.inSeconds)
    } catch {
      // The list reads it.
    }
  }

  private mutating func makeRoom() {
    do throws(RecordingError) {
      let rides = try directory.rides(at: clock.map { $0.utc + (newest - $0.instant) })
      // Whether a ride is being written is only asked of those that would go.
      let expired = policy.retention.expired(of: rides) { ride in
        ride.name == name || ride.name == previous?.ride.name || directory.isInProgress(ride)
      }
      for ride in expired { try directory.remove(ride) }
    } catch {
      notices.append("old rides stay: \(error)")
    }
  }
}
