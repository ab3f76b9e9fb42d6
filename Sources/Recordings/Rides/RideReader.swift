import LocationCore

/// Reads what happened on a ride, a few moments at a time, of any length in bounded memory.
///
/// ```
/// var reader = try RideReader(files: directory.files(of: ride))
/// while try reader.advance() {
///   for index in reader.moments.indices { take(reader.moments[index]) }
/// }
/// ```
/// Several files are one ride: the parts that rotation and restarts left, in order. Any log that can be replayed
/// can be read. With ``mayGrow`` a ride is read while it is recorded.
package struct RideReader: ~Copyable, Sendable {
  /// What happened next, in order; at least one moment until the end. To be read in place: a fix is large to copy.
  package private(set) var moments: [RideMoment] = []
  /// What was skipped so far.
  package private(set) var damage = RecordingDamageCounts()
  /// Names of the sources in the newest header; empty for a log without header.
  package private(set) var devices: [String] = []

  /// The kernel's boot id in the newest header.
  package var boot: String? { run?.boot }
  /// The newest instant on that boot's monotonic clock.
  package private(set) var lastInstant: MonotonicInstant?

  /// Whether the last file may grow and others follow it: ``advance()`` then returns `false` at the end so far, without
  /// ending the ride, and may be called again.
  package var mayGrow = false

  /// Number of bytes after which ``advance()`` returns `false` and ``isPaused`` is `true`.
  package var allowance: Int {
    get { reader.allowance }
    set { reader.allowance = newValue }
  }
  /// Whether reading waits for another ``allowance``.
  package var isPaused: Bool { reader.isPaused }

  private let followsLinks: Bool
  private var files: [String]
  private var file = 0
  private var reader: RecordingReader
  private var time = RecordedTime()
  private var timed: [RecordedTime.Item] = []
  private var engine = RideEngine()
  private var run: RecorderRun?
  private var hasBegun = false
  private var now = MonotonicInstant.zero
  private var isOver = false

  /// Opens the files, in order; at least one. A link is an error unless `followsLinks`.
  package init(files: [String], followsLinks: Bool = true) throws(RecordingError) {
    let reader = try RecordingReader(path: files.first ?? "", followsLinks: followsLinks)
    self.init(files: files, followsLinks: followsLinks, reader: reader)
  }

  // Swift 6.2 destroys properties with a default value twice when an initializer throws.
  private init(files: [String], followsLinks: Bool, reader: consuming RecordingReader) {
    self.files = files
    self.followsLinks = followsLinks
    self.reader = reader
  }

  /// Adds the file that follows the last one of a growing ride.
  package mutating func add(file: String) { files.append(file) }

  /// Goes on to the next moments; `false` at the end of the last file, where there are none.
  package mutating func advance() throws(RecordingError) -> Bool {
    moments.removeAll(keepingCapacity: true)
    while moments.isEmpty {
      guard !isOver, try step() else { return false }
    }
    return true
  }

  /// Reads one item; `false` at the end of a file that may grow.
  private mutating func step() throws(RecordingError) -> Bool {
    reader.mayGrow = mayGrow && file + 1 == files.count
    if let item = try item() {
      switch item {
      case .damage(let damage): self.damage.count(damage)
      case .header(let header): take(header)
      case .burst(let burst):
        guard let stamp = burst.stamp else { break }
        lastInstant = stamp.instant
        let (position, isAfterGap) = time.take(stamp, into: &timed)
        takeTimed()
        beginUnlessBegun()
        now = .zero + position
        if isAfterGap { engine.gap(at: now) }
        engine.take(burst.bytes, from: stamp.source ?? 0, at: now, into: &moments)
        return true
      case .event(let event): lastInstant = event.stamp?.instant ?? lastInstant
      }
      time.take(item, into: &timed)
      takeTimed()
      return true
    }
    guard !reader.mayGrow, !reader.isPaused else { return false }
    time.flush(into: &timed)
    takeTimed()
    guard file + 1 < files.count else {
      engine.end(at: now, into: &moments)
      isOver = true
      return true
    }
    let allowance = reader.allowance
    reader = try RecordingReader(path: files[file + 1], followsLinks: followsLinks)
    reader.allowance = allowance
    file += 1
    time.beginFile()
    return true
  }

  /// The next item of the file at hand. A part of which a power cut left nothing, or only NULs, has none.
  private mutating func item() throws(RecordingError) -> RecordingItem? {
    do throws(RecordingError) {
      return try reader.next()
    } catch {
      guard files.count > 1, error.code == RecordingError.unknownFormat else { throw error }
      return nil
    }
  }

  /// A rotated file repeats the header; a restarted recorder has another run.
  private mutating func take(_ header: RecordingHeader) {
    let run = RecorderRun(header)
    defer { self.run = run }
    guard hasBegun else { return begin(header) }
    guard run != self.run else { return }
    time.flush(into: &timed)
    takeTimed()
    engine.end(at: now, into: &moments)
    moments.append(.interrupted(at: now))
    begin(header)
  }

  private mutating func begin(_ header: RecordingHeader) {
    hasBegun = true
    devices = header.all("device")
    let checksums = header["checksums"].flatMap { ChecksumPolicy(rawValue: $0) } ?? .require
    engine.begin(part: part, devices: devices.count, checksums: checksums, at: now)
  }

  /// The number of the file at hand: that in its name, else its place.
  private var part: Int {
    let name = files[file].split(separator: "/").last.map(String.init) ?? ""
    return RideName.parse(file: name)?.part ?? file + 1
  }

  /// A log without header: the receiver's checksum policy is unknown.
  private mutating func beginUnlessBegun() {
    guard !hasBegun else { return }
    hasBegun = true
    engine.begin(part: part, devices: 0, checksums: .prefer, at: now)
  }

  private mutating func takeTimed() {
    guard !timed.isEmpty else { return }
    beginUnlessBegun()
    for item in timed {
      now = MonotonicInstant.zero + item.position
      if item.isAfterGap { engine.gap(at: now) }
      switch item.content {
      case .burst(let burst):
        engine.take(burst.bytes, from: burst.stamp?.source ?? 0, at: now, into: &moments)
      case .event(let event): engine.take(event, at: now, into: &moments)
      }
    }
    timed.removeAll(keepingCapacity: true)
  }
}

/// One run of a recorder, from its start to its end or a power cut: the kernel's boot id, and when it began on
/// that boot's monotonic clock.
struct RecorderRun: Hashable, Sendable {
  let boot: String?
  let begun: String?

  init(_ header: RecordingHeader) {
    boot = header["boot"]
    begun = header["run"]
  }
}
