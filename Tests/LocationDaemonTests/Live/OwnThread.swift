import NIOPosix
import Testing

/// A thread for one test, which may block on descriptors there as long as it likes and holds nobody up.
///
/// The threads that tests share are few: a test that waited on one of them for a daemon would delay all the others,
/// and they it.
final class OwnThread: TaskExecutor {
  private let pool = NIOThreadPool(numberOfThreads: 1)

  init() { pool.start() }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    pool.submit { _ in job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  func end() async throws { try await pool.shutdownGracefully() }
}

/// Gives each test of a suite its own thread, and an end.
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
  /// Each test runs on a thread of its own and may block.
  static var onOwnThread: OnOwnThread { OnOwnThread() }
}
