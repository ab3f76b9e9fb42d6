import LocationCore

/// Records one ride: every byte that every source sends, and the events.
///
/// It is crash-safe: whole records in one `write`, on the disk at the latest 5 s after they happened. Its calls
/// wait for the disk (`fdatasync` can take seconds on slow flash), so it belongs on a thread of its own and
/// never on the one that publishes. The first failure ends the recording: it is thrown once, stays
/// readable in ``failure``, and every later call does nothing.
package struct RideRecorder: ~Copyable, Sendable {
  /// The ride's name.
  package let name: RideName
  /// The failure that ended the recording.
  package private(set) var failure: RecordingError?
  /// Why an expired ride could not be removed; the recording goes on.
  package private(set) var removalFailure: RecordingError?
  /// Bytes written to all files of the ride.
  package private(set) var bytesWritten = 0

  private let directory: RideDirectory
  private let header: RecordingHeader
  private let retention: RetentionPolicy
  private var writer = RecordingWriter()
  private var file: RecordingFile
  private var part = 1
  private var rotation: RotationPolicy
  private var sync = SyncPolicy()
  private var isStopped = false

  /// Begins a ride in the directory, and removes the rides that are too many there now.
  ///
  /// - Parameters:
  ///   - utc: the system clock; `nil`, or a time before ``RideName/clockFloor``, while it is not set.
  ///   - boot: the kernel's boot id.
  package init(
    in path: String, header: RecordingHeader, boot: String, retention: RetentionPolicy = RetentionPolicy(),
    at instant: MonotonicInstant, utc: UTCInstant?
  ) throws(RecordingError) {
    let directory = try RideDirectory(path: path)
    var name = RideName(utc: utc, boot: boot, instant: instant)
    let file = try directory.create(&name, header: header) {
      RideName(utc: utc, boot: boot, instant: instant, duplicate: $0)
    }
    self.directory = directory
    self.header = header
    self.retention = retention
    self.name = name
    self.file = file
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

  /// Ends the ride with everything on the disk.
  package mutating func stop(at instant: MonotonicInstant) throws(RecordingError) {
    guard isActive else { return }
    var records: [UInt8] = []
    writer.finish(into: &records)
    try append(records, at: instant)
    try synchronize()
    isStopped = true
  }

  private var isActive: Bool { failure == nil && !isStopped }

  private mutating func append(_ records: [UInt8], at instant: MonotonicInstant) throws(RecordingError) {
    guard !records.isEmpty else { return }
    if rotation.isDue(size: file.size, adding: records.count, at: instant) { try rotate(at: instant) }
    do throws(RecordingError) {
      try file.append(records)
    } catch {
      failure = error
      throw error
    }
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
    rotation = RotationPolicy(begun: instant)
    bytesWritten += file.size
    sync.wrote(at: instant)
    makeRoom()
  }

  private mutating func makeRoom() {
    do throws(RecordingError) {
      for ride in retention.expired(of: try directory.rides(), inProgress: name) { try directory.remove(ride) }
    } catch {
      removalFailure = error
    }
  }
}
