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
/// What fails ends the recording and is announced; the publishing goes on.
package final class Recorder {
  /// How the recording stands, written by its thread and read by the event loop.
  private struct Shared: Sendable {
    var path: String?
    var failure: String?
    var bytesWritten = 0
    var waitingBytes = 0
    var droppedReads = 0
  }

  /// The thread's own.
  private struct Desk: ~Copyable, Sendable {
    var ride: RideRecorder?
  }

  private final class Thread: Sendable {
    let desk = Mutex(Desk(ride: nil))
    let shared = Mutex(Shared())
  }

  /// What may wait for the disk before reads and events are dropped, bytes.
  private static let waitingLimit = 8 << 20
  /// What each of them takes up besides its bytes, about.
  private static let overhead = 256
  private static let tick = TimeAmount.seconds(1)

  private let pool = NIOThreadPool(numberOfThreads: 1)
  private let thread = Thread()
  private let clock: PipelineClock
  private let loop: any EventLoop
  private let log: Logger
  private var ticking: Scheduled<Void>?
  private var announcedFailure: String?
  private var announcedDrops = false

  /// Begins a ride in `directory`; a directory that cannot be had is announced like any later failure.
  package init(
    directory: String, sources: [SourceURI], clock: PipelineClock, on loop: any EventLoop, log: Logger
  ) {
    self.clock = clock
    self.loop = loop
    self.log = log
    pool.start()
    let boot = Self.bootID()
    let header = RecordingHeader(
      devices: sources.map(\.device), boot: boot, version: Daemon.release)
    let instant = clock.now
    let utc = WallClock.now
    run { ride throws(RecordingError) in
      ride = try RideRecorder(in: directory, header: header, boot: boot, at: instant, utc: utc)
    }
    scheduleTick()
  }

  /// The file in progress; `nil` when nothing is recorded.
  package var path: String? { thread.shared.withLock { $0.failure == nil ? $0.path : nil } }

  /// Why the recording ended.
  package var failure: String? { thread.shared.withLock { $0.failure } }

  /// Bytes written to the ride so far.
  package var bytesWritten: Int { thread.shared.withLock { $0.bytesWritten } }

  /// Reads and events that a disk that does not keep up made impossible to record.
  package var droppedReads: Int { thread.shared.withLock { $0.droppedReads } }

  /// Records one read.
  package func read(_ bytes: ByteBuffer, from source: Int, at instant: MonotonicInstant) {
    let array = Array(bytes.readableBytesView)
    let utc = WallClock.now
    runIfRoom(for: array.count) { ride throws(RecordingError) in
      try ride?.read(array, from: source, at: instant, utc: utc)
    }
  }

  /// Records an event as one JSON object; it is about a source, or about none.
  package func event(_ json: [UInt8], from source: Int?, at instant: MonotonicInstant) {
    let stamp = RecordingStamp(instant: instant, utc: WallClock.now, source: source)
    runIfRoom(for: json.count) { ride throws(RecordingError) in
      try ride?.event(RecordedEvent(stamp: stamp, json: json), at: instant)
    }
  }

  /// Brings what was recorded to the disk.
  package func sync() {
    let instant = clock.now
    run { ride throws(RecordingError) in try ride?.stateChanged(at: instant) }
  }

  /// Ends the ride with everything on the disk; returns when that is done.
  package func stop() {
    ticking?.cancel()
    let instant = clock.now
    run { ride throws(RecordingError) in
      try ride?.stop(at: instant)
      ride = nil
    }
    // Shutting the pool down drops what still waits in it.
    let done = DispatchSemaphore(value: 0)
    pool.submit { _ in done.signal() }
    done.wait()
    try? pool.syncShutdownGracefully()
    announceFailure()
  }

  private func scheduleTick() {
    ticking = loop.assumeIsolated().scheduleTask(in: Self.tick) { [weak self] in
      self?.tick()
      self?.scheduleTick()
    }
  }

  private func tick() {
    let instant = clock.now
    run { ride throws(RecordingError) in try ride?.tick(at: instant) }
    announceFailure()
  }

  /// Drops what finds too much waiting: neither a slow disk nor a client that asks without end costs memory.
  private func runIfRoom(
    for count: Int, _ body: @escaping @Sendable (inout RideRecorder?) throws(RecordingError) -> Void
  ) {
    let size = count + Self.overhead
    let fits = thread.shared.withLock { shared in
      guard shared.waitingBytes + size <= Self.waitingLimit else {
        shared.droppedReads += 1
        return false
      }
      shared.waitingBytes += size
      return true
    }
    guard fits else { return announceDrops() }
    run(releasing: size, body)
  }

  private func run(
    releasing bytes: Int = 0, _ body: @escaping @Sendable (inout RideRecorder?) throws(RecordingError) -> Void
  ) {
    let thread = thread
    pool.submit { state in
      guard case .active = state else { return }
      thread.desk.withLock { desk in
        var failure: RecordingError?
        do throws(RecordingError) {
          try body(&desk.ride)
        } catch {
          failure = error
        }
        let path = desk.ride?.path
        let written = desk.ride?.bytesWritten
        thread.shared.withLock { shared in
          shared.waitingBytes -= bytes
          shared.path = path ?? shared.path
          shared.bytesWritten = written ?? shared.bytesWritten
          if let failure, shared.failure == nil { shared.failure = "\(failure)" }
        }
      }
    }
  }

  private func announceFailure() {
    guard let failure, announcedFailure == nil else { return }
    announcedFailure = failure
    log.error("recording stopped: \(failure)")
  }

  private func announceDrops() {
    guard !announcedDrops else { return }
    announcedDrops = true
    log.error("the disk does not keep up: parts of the ride are not recorded")
  }

  /// The kernel's id of this boot (random(4)); a fixed word where there is none.
  private static func bootID() -> String {
    let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "unknown" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 36)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    return count == bytes.count ? String(decoding: bytes, as: UTF8.self) : "unknown"
  }
}
