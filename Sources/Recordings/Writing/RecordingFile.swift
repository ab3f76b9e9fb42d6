import Libc

/// A file of a recording, open for appending. Closed when it goes out of scope.
package struct RecordingFile: ~Copyable, Sendable {
  package private(set) var path: String
  package private(set) var size = 0
  private let descriptor: Int32

  /// Creates the file, readable by owner and group only, since it contains positions. An existing file is an error.
  package init(creating path: String) throws(RecordingError) {
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
    guard descriptor >= 0 else { throw RecordingError(.create, path, code: errno) }
    // Marks the file as being written until it is closed.
    _ = flock(descriptor, LOCK_EX | LOCK_NB)
    self.init(adopting: descriptor, path: path)
  }

  init(adopting descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }
  package static func isBeingWritten(_ path: String) -> Bool { refuses(LOCK_SH, path) }
  /// Whether any process writes the file at a path or holds it by a ``RetentionHold``.
  static func isHeld(_ path: String) -> Bool { refuses(LOCK_EX, path) }

  private static func refuses(_ lock: Int32, _ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return flock(descriptor, lock | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  mutating func rename(to path: String) throws(RecordingError) {
    try Self.rename(self.path, to: path)
    self.path = path
  }

  static func remove(_ path: String) { unlink(path) }

  /// Renames a file; an existing name is an error.
  static func rename(_ old: String, to new: String) throws(RecordingError) {
    if link(old, new) == 0 {
      unlink(old)
      return
    }
    // FAT has no links.
    let code = errno
    guard code == EPERM || code == EOPNOTSUPP || code == ENOSYS else { throw RecordingError(.rename, new, code: code) }
    guard access(new, F_OK) != 0 else { throw RecordingError(.rename, new, code: EEXIST) }
    if Libc.rename(old, new) != 0 { throw RecordingError(.rename, new, code: errno) }
  }

  /// Appends whole records with one `write` (more after a partial one). On failure the written part is removed.
  package mutating func append(_ records: [UInt8]) throws(RecordingError) {
    var progress = WriteProgress(total: records.count)
    var step = progress.next
    while case .write(let offset) = step {
      let result = records.withUnsafeBytes { write(descriptor, $0.baseAddress.map { $0 + offset }, $0.count - offset) }
      step = progress.advance(result: result, code: errno)
    }
    if case .failed(let code) = step {
      if progress.written > 0 { _ = ftruncate(descriptor, off_t(size)) }
      throw RecordingError(.write, path, code: code)
    }
    size += records.count
  }

  /// Waits until everything appended is on the disk, which may take long on slow flash. A removed file is an error.
  package func synchronize() throws(RecordingError) {
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_nlink == 0 { throw RecordingError(.synchronize, path, code: ENOENT) }
    while fdatasync(descriptor) != 0 {
      if errno != EINTR { throw RecordingError(.synchronize, path, code: errno) }
    }
  }
}

/// A hold on a ride to be forwarded, for which retention waits. It needs permission to read, and ends with its process.
package final class RetentionHold: Sendable {
  private let descriptor: Int32

  /// Holds the ride with that first file; `nil` if it cannot be read or is being written, or too many files are open.
  package init?(path: String) {
    let low = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard low >= 0 else { return nil }
    // A thousand rides can wait. The low descriptors are left to sockets: select, which libmosquitto uses, needs them.
    let high = fcntl(low, F_DUPFD_CLOEXEC, Int32(1024))
    descriptor = high >= 0 ? high : low
    if high >= 0 { close(low) }
    if high < 0 && low >= 512 || flock(descriptor, LOCK_SH | LOCK_NB) != 0 { return nil }
  }

  deinit { close(descriptor) }
}

struct WriteProgress {
  enum Step: Equatable {
    case write(from: Int)
    case done
    case failed(Int32)
  }

  let total: Int
  private(set) var written = 0
  var next: Step { written < total ? .write(from: written) : .done }

  /// The step after `write` returned `result` and, if −1, set `errno` to `code`. Writing 0 bytes is a failure.
  mutating func advance(result: Int, code: Int32) -> Step {
    if result < 0 { return code == EINTR ? next : .failed(code) }
    guard result > 0, result <= total - written else { return .failed(EIO) }
    written += result
    return next
  }
}
