import Dispatch
import GPSDProtocol
import LocationCore
import NIOCore
import NIOPosix
import Recordings
import Synchronization

struct RecorderStatus: Sendable {
  /// `starting` while the file is not open yet, `failed` while recording is requested and retried.
  var state = RecordReport.State.stopped
  var path: String?
  var ride: String?
  var figures: RideFigures?
  var failure: String?
  var isDiskFull = false
  var notices: [String] = []
  var bytesWritten = 0
  var queuedBytes = 0
  var droppedReads = 0
}

/// The thread that writes recordings, with a bounded queue.
final class RecorderWorker: Sendable {
  /// Work on the ride in progress, `nil` between two recordings.
  typealias Work = @Sendable (inout RideRecorder?) throws(RecordingError) -> Void

  private struct WorkerState: ~Copyable, Sendable {
    var ride: RideRecorder?
    var earlierBytes = 0
    /// Whether a piece of ``RideRecorder/work()`` is queued.
    var hasQueuedPiece = false
  }

  /// Maximum size of the queue, in bytes.
  private static let queueLimit = 8 << 20
  /// Approximate size of a queued item without its bytes.
  private static let overhead = 256
  /// The queue on which the thread pool is shut down. Threads of a global queue request a higher priority.
  private static let shutdownQueue = DispatchQueue(label: "handlebard.recorder")

  private let state = Mutex(WorkerState(ride: nil))
  private let currentStatus = Mutex(RecorderStatus())
  private let pool = NIOThreadPool(numberOfThreads: 1)

  init() { pool.start() }
  var status: RecorderStatus { currentStatus.withLock { $0 } }

  func updateStatus<Result: Sendable>(_ body: (inout sending RecorderStatus) -> sending Result) -> Result {
    currentStatus.withLock { body(&$0) }
  }

  /// Queues work on `count` bytes, or drops it if the queue is full; returns whether it was queued. Neither a slow disk
  /// nor a client that sends requests without end can fill the memory.
  func submit(bytes count: Int, _ work: @escaping Work) -> Bool {
    let size = count + Self.overhead
    let fits = currentStatus.withLock { status in
      guard status.queuedBytes + size <= Self.queueLimit else {
        status.droppedReads += 1
        return false
      }
      status.queuedBytes += size
      return true
    }
    if fits { submit(size: size, work) }
    return fits
  }

  func submit(_ work: @escaping Work) { submit(size: 0, work) }

  private func submit(size: Int, isPiece: Bool = false, _ work: @escaping Work) {
    pool.submit { [self] itemState in
      guard case .active = itemState else { return }
      state.withLock { state in
        if isPiece { state.hasQueuedPiece = false }
        perform(work, on: &state, releasing: size)
        guard !state.hasQueuedPiece, state.ride?.hasWork ?? false else { return }
        // A piece of the ride's own work is queued behind everything else, so that it delays nothing for long.
        state.hasQueuedPiece = true
        submit(size: 0, isPiece: true) { ride in ride?.work() }
      }
    }
  }

  private func perform(_ work: Work, on state: inout WorkerState, releasing size: Int) {
    let before = state.ride?.bytesWritten ?? 0
    var failure: RecordingError?
    do throws(RecordingError) {
      try work(&state.ride)
    } catch {
      failure = error
    }
    if state.ride == nil || state.ride?.bytesWritten ?? 0 < before { state.earlierBytes += before }
    let isRecording = state.ride != nil && state.ride?.failure == nil
    currentStatus.withLock { status in
      status.queuedBytes -= size
      status.bytesWritten = state.earlierBytes + (state.ride?.bytesWritten ?? 0)
      status.path = isRecording ? state.ride?.path : nil
      status.ride = isRecording ? state.ride?.name.stem : nil
      status.figures = isRecording ? state.ride?.figures : nil
      status.notices += state.ride?.takeNotices() ?? []
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

  /// Ends the thread once all queued work is done, then calls `onDone` on `loop`.
  func finish(on loop: any EventLoop, _ onDone: @escaping @Sendable () -> Void) {
    pool.submit { [pool] _ in
      loop.execute {
        pool.shutdownGracefully(queue: Self.shutdownQueue) { _ in }
        onDone()
      }
    }
  }

  func finishAndWait() {
    // A shutdown drops queued work.
    let done = DispatchSemaphore(value: 0)
    pool.submit { _ in done.signal() }
    done.wait()
    let ended = DispatchSemaphore(value: 0)
    pool.shutdownGracefully(queue: Self.shutdownQueue) { _ in ended.signal() }
    ended.wait()
  }
}
