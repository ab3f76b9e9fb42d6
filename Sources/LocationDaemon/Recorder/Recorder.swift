import GPSDProtocol
import Glibc
import LocationCore
import Logging
import NIOCore
import Recordings

/// Records all bytes that the sources receive, on a thread of its own: a slow disk never delays a fix. An error is
/// logged and ends the recording only; retried each ``retryInterval`` if requested, on a full disk once there is room.
package final class Recorder {
  private static let retryInterval = Duration.seconds(5)
  /// Free bytes on a full disk below which a retry is pointless.
  private static let minimumFreeBytes = 1 << 20

  package let directory: String
  package var onChange: () -> Void = {}
  package var wheels: () -> KnownWheels = { KnownWheels() }
  /// Whether recording is requested, even if it currently fails.
  package private(set) var isWanted = false
  private let policy: RidePolicy
  private let header: RecordingHeader
  private let boot: String
  private let worker = RecorderWorker()
  private let clock: EngineClock
  private let loop: any EventLoop
  private let log: Logger
  private var ticking: Scheduled<Void>?
  private var retryAt: MonotonicInstant?
  private var reportedState = RecordReport.State.stopped
  private var hasReportedDrops = false

  package init(
    directory: String, policy: RidePolicy, sources: [SourceURI], clock: EngineClock, on loop: any EventLoop,
    log: Logger
  ) {
    self.directory = directory
    self.policy = policy
    self.clock = clock
    self.loop = loop
    self.log = log
    boot = sources.contains { $0.kind is RecordingOptions } ? BootID.ofReplay : BootID.current
    // The header does not state whose speed it is.
    let speed = sources.count == 1 ? sources[0].kind.lineSpeed : nil
    var header = RecordingHeader(devices: sources.map(\.device), speed: speed, boot: boot, version: Daemon.release)
    if let checksums = sources.first?.kind.checksums, checksums != .require {
      header.fields.append(.init("checksums", checksums.rawValue))
    }
    self.header = header
    scheduleTick()
  }

  var status: RecorderStatus { worker.status }

  package func start() {
    guard !isWanted else { return }
    isWanted = true
    worker.updateStatus { $0.state = .starting }
    open()
  }

  /// Ends the recording after writing everything to the disk.
  func end() {
    guard isWanted else { return }
    isWanted = false
    retryAt = nil
    close()
    worker.updateStatus { ($0.state, $0.failure) = (.stopped, nil) }
    reportChanges()
  }

  /// Ends the ride for good, and calls `onDone` on the loop when everything is on the disk.
  package func retire(then onDone: @escaping () -> Void) {
    cease()
    let onDone = NIOLoopBound(onDone, eventLoop: loop)
    worker.finish(on: loop) { onDone.value() }
  }

  /// Ends the ride for good; returns when everything is on the disk.
  package func stop() {
    cease()
    worker.finishAndWait()
    if let failure = status.failure { log.error("recording failed: \(failure)") }
  }

  private func cease() {
    ticking?.cancel()
    isWanted = false
    close()
  }

  private func open() {
    var header = header
    header.wheels = wheels()
    let (directory, boot, policy) = (directory, boot, policy)
    let instant = clock.now
    let utc = WallClock.now
    worker.submit { [header] ride throws(RecordingError) in
      // Releases the file of a failed recording first.
      ride = nil
      ride = try RideRecorder(in: directory, header: header, boot: boot, policy: policy, at: instant, utc: utc)
    }
  }

  private func close() {
    let instant = clock.now
    worker.submit { ride throws(RecordingError) in
      defer { ride = nil }
      try ride?.stop(at: instant)
    }
  }

  package func read(_ bytes: ByteBuffer, from source: Int, at instant: MonotonicInstant) {
    guard isWanted else { return }
    let array = Array(bytes.readableBytesView)
    let utc = WallClock.now
    record(array.count) { ride throws(RecordingError) in try ride?.read(array, from: source, at: instant, utc: utc) }
  }

  /// Records an event as a JSON object; `source` is `nil` if it does not concern a source.
  package func event(_ json: [UInt8], from source: Int?, at instant: MonotonicInstant) {
    guard isWanted else { return }
    let stamp = RecordingStamp(instant: instant, utc: WallClock.now, source: source)
    record(json.count) { ride throws(RecordingError) in
      try ride?.event(RecordedEvent(stamp: stamp, json: json), at: instant)
    }
  }

  package func published(_ fix: PublishedFix, at instant: MonotonicInstant) {
    guard isWanted else { return }
    record(MemoryLayout<PublishedFix>.size) { ride throws(RecordingError) in
      try ride?.published(fix, at: instant)
    }
  }

  package func sync() {
    guard isWanted else { return }
    worker.submit { ride throws(RecordingError) in try ride?.synchronize() }
  }

  private func record(_ count: Int, _ work: @escaping RecorderWorker.Work) {
    guard !worker.submit(bytes: count, work), !hasReportedDrops else { return }
    hasReportedDrops = true
    log.error("the disk is too slow: parts of the ride are not recorded")
  }

  private func scheduleTick() {
    ticking = loop.schedule(at: WholeSecond.deadline(after: EngineClock.machine)) { [weak self] in
      self?.tick()
      self?.scheduleTick()
    }
  }

  private func tick() {
    reportChanges()
    guard isWanted else { return }
    if status.state == .failed { return retry(at: EngineClock.machine) }
    retryAt = nil
    let (instant, wheels) = (clock.now, wheels())
    worker.submit { ride throws(RecordingError) in
      ride?.know(wheels)
      try ride?.tick(at: instant)
    }
  }

  private func retry(at now: MonotonicInstant) {
    guard let due = retryAt else {
      retryAt = now + Self.retryInterval
      return
    }
    guard now >= due else { return }
    retryAt = now + Self.retryInterval
    if status.isDiskFull, let free = try? RideDirectory(existing: directory).freeBytes, free < Self.minimumFreeBytes {
      return
    }
    open()
  }

  private func reportChanges() {
    let status = worker.updateStatus { status in
      defer { status.notices = [] }
      return status
    }
    for notice in status.notices { log.warning("\(notice)") }
    guard status.state != reportedState, status.state != .starting else { return }
    reportedState = status.state
    switch status.state {
    case .recording: log.notice("recording", metadata: ["FILE": "\(status.path ?? directory)"])
    case .failed: log.error("recording failed: \(status.failure ?? "")")
    default: log.notice("recording stopped")
    }
    onChange()
  }
}
