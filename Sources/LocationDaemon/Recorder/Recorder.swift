import Dispatch
import Glibc
import LocationCore
import Logging
import NIOCore
import NIOPosix
import Recordings
import Synchronization

/// Records every byte that the sources send, on a thread of its own: a slow disk never delays a fix.
///
/// What fails ends the recording, never the publishing; it is announced, and tried again every ``retry`` for as long as
/// the recording is asked for, on a full disk once there is room.
package final class Recorder {
  /// The thread's own.
  private struct Desk: ~Copyable, Sendable {
    var ride: RideRecorder?
    /// Written by the recordings before.
    var bytesBefore = 0
  }

  private final class Thread: Sendable {
    let desk = Mutex(Desk(ride: nil))
    let status = Mutex(RecorderStatus())
  }

  /// What may wait for the disk before reads and events are dropped, bytes.
  private static let waitingLimit = 8 << 20
  /// What each of them takes up besides its bytes, about.
  private static let overhead = 256
  private static let retry = Duration.seconds(5)
  /// Where the thread is ended. Not a global queue: a thread of it asks for a higher priority.
  private static let lastQueue = DispatchQueue(label: "handlebard.recorder")
  /// Less than this is no room on a disk.
  private static let leastRoom = 1 << 20

  /// Where rides are recorded.
  package let directory: String
  /// Called on the loop when the recording began, ended, or failed.
  package var onChange: () -> Void = {}

  private let policy: RidePolicy
  private let header: RecordingHeader
  private let boot: String
  private let pool = NIOThreadPool(numberOfThreads: 1)
  private let thread = Thread()
  private let clock: EngineClock
  private let loop: any EventLoop
  private let log: Logger
  private var ticking: Scheduled<Void>?
  /// Whether a recording is asked for, also while it fails.
  package private(set) var isWanted = false
  private var retryAt: MonotonicInstant?
  private var told = RecorderStatus.State.stopped
  private var hasToldDrops = false

  /// A recorder into `directory` that does not record yet.
  package init(
    directory: String, policy: RidePolicy, sources: [SourceURI], clock: EngineClock, on loop: any EventLoop,
    log: Logger
  ) {
    self.directory = directory
    self.policy = policy
    self.clock = clock
    self.loop = loop
    self.log = log
    boot = Self.bootID(isReplay: sources.contains { if case .recording = $0 { true } else { false } })
    var header = RecordingHeader(
      devices: sources.map(\.device), speed: Self.speed(of: sources), boot: boot, version: Daemon.release)
    if let checksums = sources.first?.checksums, checksums != .require {
      header.fields.append(.init("checksums", checksums.rawValue))
    }
    self.header = header
    pool.start()
    scheduleTick()
  }

  /// The speed of the one line that is recorded, if it is given: of several nobody could tell whose it is.
  private static func speed(of sources: [SourceURI]) -> Int? {
    guard sources.count == 1, case .serial(let options)? = sources.first else { return nil }
    return options.speed
  }

  /// How the recording stands.
  var status: RecorderStatus { thread.status.withLock { $0 } }

  /// The file in progress; `nil` when nothing is recorded.
  package var path: String? { status.path }

  /// Why nothing is recorded that should be.
  package var failure: String? { status.failure }

  /// Bytes written to rides so far.
  package var bytesWritten: Int { status.bytesWritten }

  /// Reads and events that a disk that does not keep up made impossible to record.
  package var droppedReads: Int { status.droppedReads }

  /// Whether a path names the directory that is recorded into.
  func isDirectory(_ path: String) -> Bool {
    func trimmed(_ path: String) -> Substring {
      var path = path[...]
      while path.count > 1, path.last == "/" { path = path.dropLast() }
      return path
    }
    return trimmed(path) == trimmed(directory)
  }

  /// Begins to record, if that is not under way.
  package func start() {
    guard !isWanted else { return }
    isWanted = true
    thread.status.withLock { $0.state = .starting }
    open()
  }

  /// Ends the recording with everything on the disk.
  func end() {
    guard isWanted else { return }
    isWanted = false
    retryAt = nil
    close()
    thread.status.withLock { status in
      status.state = .stopped
      status.failure = nil
    }
    tell()
  }

  /// Records one read.
  package func read(_ bytes: ByteBuffer, from source: Int, at instant: MonotonicInstant) {
    guard isWanted else { return }
    let array = Array(bytes.readableBytesView)
    let utc = WallClock.now
    runIfRoom(for: array.count) { ride throws(RecordingError) in
      try ride?.read(array, from: source, at: instant, utc: utc)
    }
  }

  /// Records an event as one JSON object; it is about a source, or about none.
  package func event(_ json: [UInt8], from source: Int?, at instant: MonotonicInstant) {
    guard isWanted else { return }
    let stamp = RecordingStamp(instant: instant, utc: WallClock.now, source: source)
    runIfRoom(for: json.count) { ride throws(RecordingError) in
      try ride?.event(RecordedEvent(stamp: stamp, json: json), at: instant)
    }
  }

  /// A fix was published whose bytes were recorded: it counts for the ride's figures.
  package func published(_ fix: Fix, isSuspect: Bool, at instant: MonotonicInstant) {
    guard isWanted else { return }
    runIfRoom(for: MemoryLayout<Fix>.size) { ride throws(RecordingError) in
      try ride?.published(fix, isSuspect: isSuspect, at: instant)
    }
  }

  /// Brings what was recorded to the disk.
  package func sync() {
    guard isWanted else { return }
    let instant = clock.now
    run { ride throws(RecordingError) in try ride?.stateChanged(at: instant) }
  }

  /// Ends the ride for good, and calls back on the loop when everything is on the disk.
  package func retire(then done: @escaping () -> Void) {
    ticking?.cancel()
    isWanted = false
    close()
    let done = NIOLoopBound(done, eventLoop: loop)
    pool.submit { [loop, pool] _ in
      loop.execute {
        pool.shutdownGracefully(queue: Self.lastQueue) { _ in }
        done.value()
      }
    }
  }

  /// Ends the ride with everything on the disk, for good; returns when that is done.
  package func stop() {
    ticking?.cancel()
    isWanted = false
    close()
    // Shutting the pool down drops what still waits in it.
    let done = DispatchSemaphore(value: 0)
    pool.submit { _ in done.signal() }
    done.wait()
    let ended = DispatchSemaphore(value: 0)
    pool.shutdownGracefully(queue: Self.lastQueue) { _ in ended.signal() }
    ended.wait()
    if let failure { log.error("recording stopped: \(failure)") }
  }

  private func open() {
    let (directory, header, boot, policy) = (directory, header, boot, policy)
    let instant = clock.now
    let utc = WallClock.now
    run { ride throws(RecordingError) in
      // The file of a recording that failed is let go of first: nobody writes it any more.
      ride = nil
      ride = try RideRecorder(in: directory, header: header, boot: boot, policy: policy, at: instant, utc: utc)
    }
  }

  private func close() {
    let instant = clock.now
    run { ride throws(RecordingError) in
      defer { ride = nil }
      try ride?.stop(at: instant)
    }
  }

  private func scheduleTick() {
    ticking = loop.assumeIsolated().scheduleTask(deadline: WholeSecond.deadline(after: EngineClock.machine)) {
      [weak self] in
      self?.tick()
      self?.scheduleTick()
    }
  }

  private func tick() {
    tell()
    guard isWanted else { return }
    let now = EngineClock.machine
    if case .failed = status.state {
      guard let due = retryAt else {
        retryAt = now + Self.retry
        return
      }
      guard now >= due else { return }
      retryAt = now + Self.retry
      if status.isDiskFull, let room = try? RideDirectory(existing: directory).freeBytes, room < Self.leastRoom {
        return
      }
      return open()
    }
    retryAt = nil
    let instant = clock.now
    run { ride throws(RecordingError) in try ride?.tick(at: instant) }
  }

  /// Drops what finds too much waiting: neither a slow disk nor a client that asks without end costs memory.
  private func runIfRoom(
    for count: Int, _ body: @escaping @Sendable (inout RideRecorder?) throws(RecordingError) -> Void
  ) {
    let size = count + Self.overhead
    let fits = thread.status.withLock { status in
      guard status.waitingBytes + size <= Self.waitingLimit else {
        status.droppedReads += 1
        return false
      }
      status.waitingBytes += size
      return true
    }
    guard fits else { return tellDrops() }
    run(releasing: size, body)
  }

  private func run(
    releasing bytes: Int = 0, _ body: @escaping @Sendable (inout RideRecorder?) throws(RecordingError) -> Void
  ) {
    let thread = thread
    pool.submit { state in
      guard case .active = state else { return }
      thread.desk.withLock { desk in
        let before = desk.ride?.bytesWritten ?? 0
        var failure: RecordingError?
        do throws(RecordingError) {
          try body(&desk.ride)
        } catch {
          failure = error
        }
        if desk.ride == nil || desk.ride?.bytesWritten ?? 0 < before { desk.bytesBefore += before }
        let path = desk.ride?.path
        let ended = desk.ride?.failure
        let isRecording = path != nil && ended == nil
        let name = desk.ride?.name.stem
        let figures = desk.ride?.figures
        let written = desk.bytesBefore + (desk.ride?.bytesWritten ?? 0)
        let notices = desk.ride?.notices ?? []
        if !notices.isEmpty { desk.ride?.notices = [] }
        thread.status.withLock { status in
          status.waitingBytes -= bytes
          status.bytesWritten = written
          status.path = isRecording ? path : nil
          status.ride = isRecording ? name : nil
          status.figures = isRecording ? figures : nil
          status.notices += notices
          if let failure {
            status.failure = "\(failure)"
            status.isDiskFull = failure.reason == .diskFull
          }
          guard status.state != .stopped else { return }
          if isRecording {
            status.state = .recording
            status.failure = nil
          } else if failure != nil {
            status.state = .failed
          }
        }
      }
    }
  }

  /// Says what has changed since it was last said.
  private func tell() {
    let status = thread.status.withLock { status in
      defer { status.notices = [] }
      return status
    }
    for notice in status.notices { log.warning("\(notice)") }
    guard status.state != told, status.state != .starting else { return }
    told = status.state
    switch status.state {
    case .recording: log.notice("recording", metadata: ["FILE": "\(status.path ?? directory)"])
    case .failed: log.error("recording stopped: \(status.failure ?? "")")
    case .stopped: log.notice("recording ended")
    case .starting: break
    }
    onChange()
  }

  private func tellDrops() {
    guard !hasToldDrops else { return }
    hasToldDrops = true
    log.error("the disk does not keep up: parts of the ride are not recorded")
  }

  /// The kernel's id of this boot (random(4)); a fixed word where there is none. A replay runs on a clock of its own.
  private static func bootID(isReplay: Bool) -> String {
    if isReplay { return "replay-\(getpid())-\(EngineClock.machine.nanoseconds)" }
    let descriptor = Glibc.open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "unknown" }
    defer { Glibc.close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 36)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    return count == bytes.count ? String(decoding: bytes, as: UTF8.self) : "unknown"
  }
}
