import Glibc
import Testing

@testable import Recordings

struct WriteProgressTests {
  @Test func `A partial write continues after the written part`() {
    var progress = WriteProgress(total: 10)
    #expect(progress.next == .write(from: 0))
    #expect(progress.advance(result: 4, code: 0) == .write(from: 4))
    #expect(progress.advance(result: 6, code: 0) == .done)
    #expect(progress.written == 10)
  }

  @Test func `An interrupted write is repeated`() {
    var progress = WriteProgress(total: 10)
    _ = progress.advance(result: 3, code: 0)
    #expect(progress.advance(result: -1, code: EINTR) == .write(from: 3))
  }

  @Test(arguments: [ENOSPC, EROFS, EIO])
  func `A failed write has its errno`(code: Int32) {
    var progress = WriteProgress(total: 10)
    #expect(progress.advance(result: -1, code: code) == .failed(code))
  }

  @Test(arguments: [0, 11])
  func `An impossible result is a failure, not an endless loop`(result: Int) {
    var progress = WriteProgress(total: 10)
    #expect(progress.advance(result: result, code: 0) == .failed(EIO))
  }

  @Test func `An empty record is written without a call`() {
    #expect(WriteProgress(total: 0).next == .done)
  }
}
