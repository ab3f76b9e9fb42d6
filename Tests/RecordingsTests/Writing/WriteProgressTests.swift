import Glibc
import Testing

@testable import Recordings

struct WriteProgressTests {
  /// Writes ten bytes by calls with these results, and the `errno` that each sets; returns the offsets of the calls, too.
  private func write(_ results: [(Int, Int32)]) -> (written: Int, code: Int32?, offsets: [Int]) {
    var offsets: [Int] = []
    let (written, code) = RecordingFile.write(10) { offset in
      let (result, code) = results[offsets.count]
      offsets.append(offset)
      errno = code
      return result
    }
    return (written, code, offsets)
  }

  @Test func `A partial write continues after the written part`() {
    let (written, code, offsets) = write([(4, 0), (6, 0)])
    #expect(offsets == [0, 4])
    #expect(written == 10 && code == nil)
  }

  @Test func `An interrupted write is repeated`() {
    #expect(write([(3, 0), (-1, EINTR), (7, 0)]).offsets == [0, 3, 3])
  }

  @Test(arguments: [ENOSPC, EROFS, EIO])
  func `A failed write has its errno`(code: Int32) {
    #expect(write([(-1, code)]).code == code)
  }

  @Test(arguments: [0, 11])
  func `An impossible result is a failure, not an endless loop`(result: Int) {
    #expect(write([(result, 0)]).code == EIO)
  }

  @Test func `An empty record is written without a call`() {
    let (written, code) = RecordingFile.write(0) { _ in
      Issue.record("a call")
      return 0
    }
    #expect(written == 0 && code == nil)
  }
}
