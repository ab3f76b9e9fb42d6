import LocationCore

/// A recorder of rides: writes every byte of every source, and events, into rotating files.
///
/// A ride lies between two long stops (``RidePolicy/splitStop``), not between start and stop of the recorder: after a
/// power cut at a petrol station the previous ride continues. On the same boot the monotonic clock gives the length of the
/// pause; after another boot no clock is trusted until the first fix has a date, and then the files so far are renamed to
/// be the next parts of that ride. Likewise a ride that began under a wrong or unset clock is renamed by its fixes.
///
/// It is crash-safe: whole records in one `write`, on the disk within 5 s. Its calls wait for the disk (`fdatasync` can
/// take seconds on slow flash), so it runs on a thread of its own. The first failure ends the recording: it is thrown
/// once, remains in ``failure``, and later calls do nothing.
package struct RideRecorder: ~Copyable, Sendable {
  /// Largest error of a name that is not corrected.
  static let nameTolerance = Duration.seconds(60)

  /// The ride's name.
  package private(set) var name: RideName
  /// The failure that ended the recording.
  package private(set) var failure: RecordingError?
  /// Recovered errors, a line each; the caller reports and removes them.
  package var notices: [String] = []
  /// Bytes written to all files since the start.
  package private(set) var bytesWritten = 0
  /// The figures of the ride so far.
  package var figures: RideFigures { sums.figures }

  private let directory: RideDirectory
  private let header: RecordingHeader
  private let boot: String
  private let policy: RidePolicy
  private var writer = RecordingWriter()
  private var file: RecordingFile
  /// The number of the current file.
  private var part: Int
  /// The number of the first file that this boot wrote.
  private var ownParts: Int
  /// How many files of this boot previous runs wrote.
  private var inherited: Int
  /// Start of this run, on the clock of this boot.
  private let begun: MonotonicInstant
  /// Start of the ride, on the clock of this boot; `nil` if another boot began it.
  private var rideBegun: MonotonicInstant?
  private var hasRecorded = false
  private var newest: MonotonicInstant
  private var sums: RideAccumulator
  private var previous: PreviousRide?
  private var rotation: RotationPolicy
  private var sync = SyncPolicy()
  private var isStopped = false
  /// UTC by the newest fix with a date, else by the system clock at the start; `nil` if unknown.
  private var clock: (utc: UTCInstant, instant: MonotonicInstant)?

  /// Begins a ride in the directory, or continues the newest one; removes the oldest rides if there are too many.
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
    let continued = previous.flatMap { $0.continues(at: instant, boot: boot) ? $0 : nil }
    var name = continued?.ride.name ?? RideName(utc: utc, boot: boot, instant: instant)
    let part = (continued?.ride.parts.last ?? 0) + 1
    let file: RecordingFile
    if continued != nil {
      file = try directory.create(name, part: part, header: header)
    } else {
      file = try directory.create(&name, header: header) {
        RideName(utc: utc, boot: boot, instant: instant, duplicate: $0)
      }
    }
    self.init(
      file, part: part, of: name, in: directory, header: header, boot: boot, policy: policy, at: instant, clock: clock,
      continued: continued, previous: previous)
    notices = joined.map { "the two parts of the ride \($0.stem) have been joined" }
    makeRoom()
  }

  // Swift 6.2 destroys properties with a default value twice when an initializer throws.
  private init(
    _ file: consuming RecordingFile, part: Int, of name: RideName, in directory: RideDirectory,
    header: RecordingHeader, boot: String, policy: RidePolicy, at instant: MonotonicInstant,
    clock: (utc: UTCInstant, instant: MonotonicInstant)?, continued: PreviousRide?, previous: PreviousRide?
  ) {
    bytesWritten = file.size
    self.file = file
    self.directory = directory
    self.clock = clock
    self.header = header
    self.boot = boot
    self.policy = policy
    self.name = name
    self.part = part
    var earlier = continued == nil ? previous : nil
    if let continued, continued.summary.lastFix == nil, let begun = continued.begun(in: directory) {
      // Without a date so far: to which ride it belongs, and its name, are still open.
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
    sync.wrote(at: instant)
  }

  /// The path of the current file.
  package var path: String { file.path }

  /// Time of the next ``tick(at:)``; `nil` without pending writes.
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

  /// Notes a published fix, after ``read(_:from:at:utc:)`` of its bytes. It is not written, but gives the date and the
  /// beginning of the next ride.
  package mutating func published(_ fix: Fix, isSuspect: Bool, at instant: MonotonicInstant) throws(RecordingError) {
    guard isActive else { return }
    if let measured = fix.measured, measured >= RideName.clockFloor {
      clock = (measured, instant)
      applyDate(of: fix, measured)
    }
    if previous?.keep(fix, isSuspect: isSuspect) == false { previous = nil }
    let beginsNextRide = sums.beginsNextRide(with: fix)
    sums.add(fix, isSuspect: isSuspect)
    if beginsNextRide { try beginRide(at: instant, utc: fix.measured) }
  }

  /// Flushes the bytes that led to a change of a source's state.
  package mutating func stateChanged(at instant: MonotonicInstant) throws(RecordingError) {
    guard isActive else { return }
    try synchronize()
  }

  /// Writes unfinished lines of silent sources, and flushes if it is due.
  package mutating func tick(at instant: MonotonicInstant) throws(RecordingError) {
    guard isActive else { return }
    var records: [UInt8] = []
    writer.releaseSilent(at: instant, into: &records)
    try append(records, at: instant)
    if sync.isDue(at: instant) { try synchronize() }
  }

  /// Ends the recording with everything on the disk. A run without any bytes leaves no file.
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
    fileDidOpen(at: instant)
  }

  /// Ends the ride and begins another one.
  private mutating func beginRide(at instant: MonotonicInstant, utc: UTCInstant?) throws(RecordingError) {
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
    fileDidOpen(at: instant)
  }

  private mutating func fileDidOpen(at instant: MonotonicInstant) {
    rotation = RotationPolicy(begun: instant)
    bytesWritten += file.size
    sync.wrote(at: instant)
    makeRoom()
  }

  /// Determines by the date of a fix to which ride the files belong and when it began.
  private mutating func applyDate(of fix: Fix, _ measured: UTCInstant) {
    if let previous {
      self.previous = nil
      if previous.continues(with: measured), join(previous) { return }
    }
    guard let begun = rideBegun else { return }
    rideBegun = nil
    let start = measured + (begun - fix.received)
    if let named = name.start, named - start <= Self.nameTolerance, start - named <= Self.nameTolerance { return }
    let boot = boot
    let second = start + .milliseconds(500)
    rename { RideName(utc: second, boot: boot, instant: begun, duplicate: $0) }
  }

  /// Makes this boot's files the next parts of the previous ride. If that fails they remain a ride of their own.
  private mutating func join(_ previous: PreviousRide) -> Bool {
    let offset = previous.ride.parts.last ?? 0
    do throws(RecordingError) {
      try moveFiles(to: previous.ride.name, offset: offset)
    } catch {
      notices.append("the ride \(previous.ride.name.stem) continues under the name \(name.stem): \(error)")
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
        // The readable part counts.
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
          notices.append("the ride keeps the name \(self.name.stem) instead of \(name.stem): \(error)")
          return
        }
        duplicate += 1
      }
    }
  }

  /// Renames this boot's files to those of another ride, all or none: on failure the renamed ones are renamed back. If that
  /// fails too, the next recorder joins them.
  private mutating func moveFiles(to next: RideName, offset: Int) throws(RecordingError) {
    var moved = ownParts
    do throws(RecordingError) {
      while moved < part {
        try RecordingFile.rename(location(name, moved), to: location(next, moved + offset))
        moved += 1
      }
      // The open file is the last one.
      try file.rename(to: location(next, part + offset))
    } catch {
      while moved > ownParts {
        moved -= 1
        do throws(RecordingError) {
          try RecordingFile.rename(location(next, moved + offset), to: location(name, moved))
        } catch {
          notices.append("the ride \(name.stem) stays in two parts until recording starts again: \(error)")
          break
        }
      }
      throw error
    }
  }

  private func location(_ name: RideName, _ part: Int) -> String { directory.location(of: name.file(part: part)) }

  /// Writes the index of the ride.
  private func keepSummary() {
    do throws(RecordingError) {
      guard let ride = try directory.ride(named: name.stem) else { return }
      let summary = RideSummary(sums, boot: boot, lastInstant: newest, damages: 0)
      directory.keep(summary, of: ride, splitStop: policy.splitStop.inSeconds)
    } catch {
      // Without an index the ride is read when rides are listed.
    }
  }

  private mutating func makeRoom() {
    do throws(RecordingError) {
      let rides = try directory.rides(at: clock.map { $0.utc + (newest - $0.instant) })
      // Checks only rides that would be removed for writers.
      let expired = policy.retention.expired(
        of: rides,
        keeping: { ride in
          ride.name == name || ride.name == previous?.ride.name || directory.isInProgress(ride)
        }, holding: { directory.isHeld($0) })
      for ride in expired {
        if directory.isHeld(ride) {
          notices.append("the ride \(ride.name.stem) is removed before all of it has been forwarded")
        }
        try directory.remove(ride)
      }
    } catch {
      notices.append("cannot remove old rides: \(error)")
    }
  }
}
