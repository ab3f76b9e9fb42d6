import Glibc
import Testing

@testable import Recordings

struct WriteProgressTests {
  @Test("A partial write continues after the written part")
  func partialWriteContinuesAfterWrittenPart() {
    var progress = WriteProgress(total: 10)
    #expect(progress.next == .write(from: 0))
    #expect(progress.take(result: 4, code: 0) == .write(from: 4))
    #expect(progress.take(result: 6, code: 0) == .done)
    #expect(progress.written == 10)
  }

  @Test("An interrupted write is repeated")
  func interruptedWriteRepeated() {
    var progress = WriteProgress(total: 10)
    _ = progress.take(result: 3, code: 0)
    #expect(progress.take(result: -1, code: EINTR) == .write(from: 3))
  }

  @Test("A failed write has its errno", arguments: [ENOSPC, EROFS, EIO])
  func failedWriteErrno(code: Int32) {
    var progress = WriteProgress(total: 10)
    #expect(progress.take(result: -1, code: code) == .failed(code))
  }

  @Test("An impossible result is a failure, not an endless loop", arguments: [0, 11])
  func impossibleResultFailureNotEndlessLoop(result: Int) {
    var progress = WriteProgress(total: 10)
    #expect(progress.take(result: result, code: 0) == .failed(EIO))
  }

  @Test("An empty record is written without a call")
  func emptyRecordWrittenWithoutCall() {
    #expect(WriteProgress(total: 0).next == .done)
  }
}
