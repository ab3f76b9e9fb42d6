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
    let (written, code) = Self.write(records.count) { offset in
      records.withUnsafeBytes { Libc.write(descriptor, $0.baseAddress.map { $0 + offset }, $0.count - offset) }
    }
    if let code {
      if written > 0 { _ = ftruncate(descriptor, off_t(size)) }
      throw RecordingError(.write, path, code: code)
    }
    size += records.count
  }

  /// Writes so many bytes by calls of `write`, which is given an offset and returns as write(2) does. Returns how many
  /// are written, and the `errno` if that is not all. Writing 0 bytes is a failure.
  static func write(_ count: Int, by write: (_ offset: Int) -> Int) -> (written: Int, code: Int32?) {
    var written = 0
    while written < count {
      let result = write(written)
      if result < 0, errno == EINTR { continue }
      guard result >= 0 else { return (written, errno) }
      guard result > 0, result <= count - written else { return (written, EIO) }
      written += result
    }
    return (written, nil)
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
