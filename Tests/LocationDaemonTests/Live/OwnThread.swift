import NIOPosix
import Testing

/// A thread for one test, which may block on it.
///
/// There are few shared test threads: a blocking test on one of them would delay all others.
final class OwnThread: TaskExecutor {
  private let pool = NIOThreadPool(numberOfThreads: 1)

  init() { pool.start() }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    pool.submit { _ in job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  func end() async throws { try await pool.shutdownGracefully() }
}

/// A trait that runs each test of a suite on its own thread.
struct OnOwnThread: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let thread = OwnThread()
    let outcome: Result<Void, any Error>
    do {
      try await withTaskExecutorPreference(thread) { try await function() }
      outcome = .success(())
    } catch {
      outcome = .failure(error)
    }
    try await thread.end()
    try outcome.get()
  }
}

extension Trait where Self == OnOwnThread {
  /// Runs each test on its own thread, where it may block.
  static var onOwnThread: OnOwnThread { OnOwnThread() }
}
