import LocationCore

/// A recorder of rides: writes every byte of every source, and events, into rotating files. A ride lies between two
/// long stops (``RidePolicy/splitStop``), not between start and stop of the recorder: after a power cut at a petrol
/// station the previous ride continues. On the same boot the monotonic clock gives the length of the pause; after
/// another boot no clock is trusted until the first fix has a date, and then the files so far are renamed to be the
/// next parts of that ride. Likewise a ride that began under a wrong or unset clock is renamed by its fixes. It is
/// crash-safe: whole records in one `write`, on the disk within 5 s. Its calls wait for the disk (`fdatasync` can take
/// seconds on slow flash), so it runs on a thread of its own. What takes long beside many or large rides is done in
/// pieces between its calls (``work()``). The first failure ends the recording: it is thrown once, remains in
/// ``failure``, and later calls do nothing.
package struct RideRecorder: ~Copyable, Sendable {
  /// Largest error of a name that is not corrected.
  static let nameTolerance = Duration.seconds(60)
  /// Largest number of fixes that are kept until it is known whether the previous ride continues: ten minutes at 10 Hz.
  static let maximumEarlyFixes = 6000
  static let pieceSize = 1 << 20
  /// Pieces of the search for the previous ride before the first file is created: nearly always it is over by then.
  static let piecesAtStart = 8
  static let removalsAtOnce = 16

  package internal(set) var name: RideName
  package private(set) var failure: RecordingError?
  /// Recovered errors, a line each, until they are taken.
  package internal(set) var notices: [String] = []
  package private(set) var bytesWritten = 0
  /// The figures of the ride so far; while ``work()`` reads those of previous runs, without them.
  package var figures: RideFigures { sums.figures }

  let directory: RideDirectory
  private var header: RecordingHeader
  let boot: String
  let policy: RidePolicy
  private var writer = RecordingWriter()
  var file: RecordingFile
  /// The numbers of the files that this boot wrote, ascending; the last one is the current file.
  var ownParts = [1]
  /// How many of them previous runs wrote.
  var inherited = 0
  /// Start of this run, on the clock of this boot.
  let begun: MonotonicInstant
  /// Start of the ride, on the clock of this boot; `nil` if another boot began it.
  var rideBegun: MonotonicInstant?
  private var hasRecorded = false
  private var newest: MonotonicInstant
  var sums: RideAccumulator
  /// The search for the previous ride, until it is over. Until then ``name`` is preliminary.
  var search: PreviousRideSearch?
  /// The first fix with a date during the search.
  var firstDate: (fix: Fix, measured: UTCInstant)?
  /// The ride of another boot that may continue, until a fix has a date.
  var previous: PreviousRide?
  var earlier: RideSummaryReader?
  /// The fixes of this run until ``sums`` contain those of all previous runs.
  var early: [PublishedFix] = []
  /// Whether ``sums`` contain the fixes of all previous runs, or will.
  var hasAllFixes = true
  var damages = 0
  private var needsRoom = true
  private var expired: ExpiredRides?
  private var rotation: RotationPolicy
  private(set) var sync = SyncPolicy()
  private var isStopped = false
  /// UTC by the system clock at the start; `nil` if unknown.
  let startUTC: UTCInstant?
  /// UTC by the newest fix with a date, else by the system clock at the start; `nil` if unknown.
  private var clock: (utc: UTCInstant, instant: MonotonicInstant)?

  /// `boot` is the kernel's boot id; `utc` is `nil`, or before ``ReceiverConfiguration/floor``, while it is not set.
  package init(
    in path: String, header: RecordingHeader, boot: String, policy: RidePolicy = RidePolicy(),
    at instant: MonotonicInstant, utc: UTCInstant?
  ) throws(RecordingError) {
    let directory = try RideDirectory(path: path)
    var header = header
    header.fields.append(.init("run", String(max(0, instant.nanoseconds / 1_000_000))))
    let utc = utc.flatMap { $0 >= ReceiverConfiguration.floor ? $0 : nil }
    var rides = directory.ridesIfReadable
    let joined = directory.joinPieces(of: rides)
    if !joined.isEmpty { rides = directory.ridesIfReadable }
    directory.removeUnused(among: &rides)
    var search = PreviousRideSearch(among: rides, in: directory, boot: boot, splitStop: policy.splitStop)
    for _ in 0..<Self.piecesAtStart where !search.isOver { search.advance(reading: Self.pieceSize) }
    // A name without a date is preliminary to all who read rides.
    let start = search.isOver ? utc : nil
    func name(_ duplicate: Int) -> RideName {
      RideName(utc: start, boot: boot, instant: instant, duplicate: duplicate)
    }
    var duplicate = 1
    let file = try directory.create(header, number: &duplicate, most: 1000) { name($0).file(part: 1) }
    self.init(
      file, header, in: directory, name: name(duplicate), boot: boot, policy: policy, search, at: instant, utc: utc)
    notices = joined.map { "the two parts of the ride \($0.stem) have been joined" }
    for _ in 0..<Self.piecesAtStart where self.search != nil { work() }
  }

  // Swift 6.2 destroys defaults twice when an initializer throws; only one that delegates may call mutating methods.
  private init(
    _ file: consuming RecordingFile, _ header: RecordingHeader, in directory: RideDirectory, name: RideName,
    boot: String,
    policy: RidePolicy, _ search: consuming PreviousRideSearch, at instant: MonotonicInstant, utc: UTCInstant?
  ) {
    bytesWritten = file.size
    self.file = file
    self.directory = directory
    self.header = header
    self.boot = boot
    self.policy = policy
    self.name = name
    self.search = consume search
    startUTC = utc
    clock = utc.map { ($0, instant) }
    sums = RideAccumulator(splitStop: policy.splitStop.inSeconds)
    begun = instant
    rideBegun = instant
    newest = instant
    rotation = RotationPolicy(begun: instant)
    sync.wrote(at: instant)
  }

  package var path: String { file.path }

  package mutating func read(
    _ bytes: [UInt8], from source: Int, at instant: MonotonicInstant, utc: UTCInstant?
  ) throws(RecordingError) {
    try append(at: instant) { $0.burst(bytes, from: source, at: instant, utc: utc, into: &$1) }
  }

  package mutating func event(_ event: RecordedEvent, at instant: MonotonicInstant) throws(RecordingError) {
    try append(at: instant) { $0.event(event, into: &$1) }
  }

  /// Notes a published fix after its bytes: it gives the date and the start of the next ride.
  package mutating func published(_ published: PublishedFix, at instant: MonotonicInstant) throws(RecordingError) {
    guard isActive else { return }
    let fix = published.fix
    if let measured = fix.measured, measured >= ReceiverConfiguration.floor {
      clock = (measured, instant)
      if search != nil { firstDate = firstDate ?? (fix, measured) } else { applyDate(of: fix, measured) }
    }
    keepEarly(published)
    let beginsNextRide = sums.beginsNextRide(with: fix, published.sensed)
    sums.add(published)
    if beginsNextRide { try beginRide(at: instant, utc: fix.measured) }
  }

  package mutating func know(_ wheels: KnownWheels) { header.wheels = wheels }
  package mutating func takeNotices() -> [String] { exchange(&notices, with: []) }

  /// Writes unfinished lines of silent sources, and flushes if it is due.
  package mutating func tick(at instant: MonotonicInstant) throws(RecordingError) {
    try append(at: instant) { $0.releaseSilent(at: instant, into: &$1) }
    if sync.isDue(at: instant) { try synchronize() }
  }

  package var hasWork: Bool { isActive && (search != nil || earlier != nil || needsRoom || expired != nil) }

  /// Does a piece of what need not be done at once: the search for the previous ride, its figures, removing old rides.
  package mutating func work() {
    guard hasWork else { return }
    if search != nil {
      search?.advance(reading: Self.pieceSize)
      if search?.isOver ?? false { endSearch() }
    } else if earlier != nil {
      readEarlier()
    } else {
      makeRoom()
    }
  }

  /// Ends the recording with everything on the disk. A run without any bytes leaves no file.
  package mutating func stop(at instant: MonotonicInstant) throws(RecordingError) {
    guard isActive else { return }
    try append(at: instant) { $0.finish(into: &$1) }
    try synchronize()
    giveUp()
    isStopped = true
    if !hasRecorded { RecordingFile.remove(file.path) }
  }

  private var isActive: Bool { failure == nil && !isStopped }

  private mutating func append(
    at instant: MonotonicInstant, _ write: (inout RecordingWriter, inout [UInt8]) -> Void
  ) throws(RecordingError) {
    guard isActive else { return }
    var records: [UInt8] = []
    write(&writer, &records)
    guard !records.isEmpty else { return }
    if rotation.isDue(size: file.size, adding: records.count, at: instant) { try rotate(at: instant) }
    try failing { recorder throws(RecordingError) in try recorder.file.append(records) }
    hasRecorded = true
    newest = max(newest, instant)
    bytesWritten += records.count
    sync.wrote(at: instant)
  }

  /// Flushes what is written, such as the bytes that led to a change of a source's state.
  package mutating func synchronize() throws(RecordingError) {
    guard isActive, sync.isDirty else { return }
    try failing { recorder throws(RecordingError) in try recorder.file.synchronize() }
    sync.synchronized()
  }

  /// Does what ends the recording if it fails.
  private mutating func failing(_ body: (inout Self) throws(RecordingError) -> Void) throws(RecordingError) {
    do throws(RecordingError) {
      try body(&self)
    } catch {
      failure = error
      throw error
    }
  }

  private mutating func rotate(at instant: MonotonicInstant) throws(RecordingError) {
    try synchronize()
    var part = (ownParts.last ?? 0) + 1
    let name = name
    try failing { recorder throws(RecordingError) in
      recorder.file = try recorder.directory.create(recorder.header, number: &part, most: part + 100, name.file(part:))
    }
    ownParts.append(part)
    fileDidOpen(at: instant)
  }

  private mutating func beginRide(at instant: MonotonicInstant, utc: UTCInstant?) throws(RecordingError) {
    try append(at: instant) { $0.finish(into: &$1) }
    try synchronize()
    giveUp()
    if hasAllFixes { keepSummary() }
    let boot = boot
    func name(_ duplicate: Int) -> RideName {
      RideName(utc: utc, boot: boot, instant: instant, duplicate: duplicate)
    }
    var duplicate = 1
    try failing { recorder throws(RecordingError) in
      recorder.file = try recorder.directory.create(recorder.header, number: &duplicate, most: 1000) {
        name($0).file(part: 1)
      }
    }
    self.name = name(duplicate)
    ownParts = [1]
    inherited = 0
    rideBegun = instant
    (hasAllFixes, damages) = (true, 0)
    sums = RideAccumulator(splitStop: policy.splitStop.inSeconds)
    fileDidOpen(at: instant)
  }

  private mutating func fileDidOpen(at instant: MonotonicInstant) {
    rotation = RotationPolicy(begun: instant)
    bytesWritten += file.size
    sync.wrote(at: instant)
    needsRoom = true
  }

  // Mutating: the check of a borrowed value without copies takes seconds for a function that branches first.
  private mutating func keepSummary() {
    // Without an index the ride is read when rides are listed.
    guard let ride = directory.ridesIfReadable.first(where: { [name] in $0.name == name }) else { return }
    let summary = RideSummary(sums, boot: boot, lastInstant: newest, damages: damages)
    directory.keep(summary, of: ride, splitStop: policy.splitStop.inSeconds)
  }

  private mutating func makeRoom() {
    do throws(RecordingError) {
      if needsRoom {
        needsRoom = false
        var rides = try directory.rides()
        expired = ExpiredRides(of: rides, by: policy)
        if let clock, expired?.isTooMuch ?? false {
          directory.markMisdated(&rides, at: clock.utc + (newest - clock.instant))
          expired = ExpiredRides(of: rides, by: policy)
        }
        return
      }
      let (directory, name, previous) = (directory, name, previous?.ride.name)
      for _ in 0..<Self.removalsAtOnce {
        // Checks only rides that would be removed for writers.
        let next = expired?.next(
          keeping: { $0.name == name || $0.name == previous || directory.isInProgress($0) },
          holding: { directory.isHeld($0) })
        guard let ride = next else {
          expired = nil
          return
        }
        if directory.isHeld(ride) {
          notices.append("the ride \(ride.name.stem) is removed before all of it has been forwarded")
        }
        try directory.remove(ride)
      }
    } catch {
      expired = nil
      notices.append("cannot remove old rides: \(error)")
    }
  }
}
