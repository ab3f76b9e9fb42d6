import Glibc
import Testing

@testable import Recordings

struct RecordingFileTests {
  @Test func `Records are appended and nothing is overwritten`() throws {
    let directory = TemporaryDirectory()
    let path = directory.path + "/a.nmea"
    do {
      var file = try RecordingFile(creating: path)
      try file.append(Array("one\n".utf8))
      try file.append(Array("two\n".utf8))
      try file.synchronize()
      #expect(file.size == 8)
    }
    #expect(directory.read("a.nmea") == Array("one\ntwo\n".utf8))
    let error = #expect(throws: RecordingError.self) { _ = try RecordingFile(creating: path) }
    #expect(error?.reason == .exists)
    #expect(directory.read("a.nmea").count == 8)
  }

  @Test func `The file is readable by owner and group, and not inherited`() throws {
    let directory = TemporaryDirectory()
    _ = try RecordingFile(creating: directory.path + "/a.nmea")
    var status = stat()
    stat(directory.path + "/a.nmea", &status)
    #expect(status.st_mode & 0o007 == 0)
    #expect(status.st_mode & 0o600 == 0o600)
  }

  @Test func `A removed file is an error`() throws {
    let directory = TemporaryDirectory()
    let path = directory.path + "/a.nmea"
    var file = try RecordingFile(creating: path)
    try file.append([1, 2, 3])
    unlink(path)
    do throws(RecordingError) {
      try file.synchronize()
      Issue.record("the removal went unnoticed")
    } catch {
      #expect(error.reason == .notFound)
    }
  }

  @Test func `A full disk is a typed error with a remedy`() throws {
    var file = RecordingFile(adopting: open("/dev/full", O_WRONLY | O_CLOEXEC), path: "/dev/full")
    do throws(RecordingError) {
      try file.append([1, 2, 3])
      Issue.record("the write succeeded")
    } catch {
      #expect(error.operation == .write)
      #expect(error.code == ENOSPC)
      #expect(error.reason == .diskFull)
      #expect(
        error.description == "cannot write /dev/full: No space left on device; free some space, or keep fewer rides")
    }
    #expect(file.size == 0)
  }

  @Test(
    arguments: [
      (EROFS, RecordingError.Reason.readOnly), (EDQUOT, .diskFull), (EACCES, .denied), (ENOENT, .notFound),
      (ENOTDIR, .wrongKind), (EIO, .failed),
    ]
  )
  func `Every errno has a reason`(code: Int32, reason: RecordingError.Reason) {
    #expect(RecordingError(.write, "x", code: code).reason == reason)
  }

  @Test func `A file is replaced atomically, and only a regular file`() throws {
    let directory = TemporaryDirectory()
    let path = directory.path + "/a.nmea"
    try RecordingFile.replace(path, with: Array("old, and longer\n".utf8))
    try RecordingFile.replace(path, with: Array("new\n".utf8))
    #expect(directory.read("a.nmea") == Array("new\n".utf8))
    #expect(directory.files == ["a.nmea"])
    for other in [directory.path, "/dev/full"] {
      let error = #expect(throws: RecordingError.self) { try RecordingFile.replace(other, with: [1]) }
      #expect(error?.reason == .wrongKind)
    }
  }
}
