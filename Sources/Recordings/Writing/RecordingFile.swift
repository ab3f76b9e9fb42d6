import Glibc

/// One file of a recording, open for appending. Closed when it goes out of scope.
package struct RecordingFile: ~Copyable, Sendable {
  /// Where it is.
  package private(set) var path: String
  /// Bytes that were appended.
  package private(set) var size = 0
  private let descriptor: Int32

  /// Creates the file, readable to owner and group only: it tells where somebody was. An existing one is an error.
  package init(creating path: String) throws(RecordingError) {
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
    guard descriptor >= 0 else { throw RecordingError(.create, path, code: errno) }
    // Tells everybody that it is being written, until it is closed in whatever way.
    _ = flock(descriptor, LOCK_EX | LOCK_NB)
    self.init(adopting: descriptor, path: path)
  }

  /// Takes over an open descriptor.
  init(adopting descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  /// Whether the file at a path is being written, by whatever process.
  package static func isBeingWritten(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  /// Gives the file another name in the same directory; one that is there already is an error.
  mutating func rename(to path: String) throws(RecordingError) {
    try Self.rename(self.path, to: path)
    self.path = path
  }

  /// Removes a file that nobody needs.
  static func remove(_ path: String) { unlink(path) }

  /// Gives a file another name; one that is there already is an error.
  static func rename(_ old: String, to new: String) throws(RecordingError) {
    if link(old, new) == 0 {
      unlink(old)
      return
    }
    // FAT has no links.
    let code = errno
    guard code == EPERM || code == EOPNOTSUPP || code == ENOSYS else {
      throw RecordingError(.rename, new, code: code)
    }
    guard access(new, F_OK) != 0 else { throw RecordingError(.rename, new, code: EEXIST) }
    if Glibc.rename(old, new) != 0 { throw RecordingError(.rename, new, code: errno) }
  }

  /// Appends whole records with one `write` (more only if the system takes a part). When it fails, what was
  /// written of the records is taken back as far as the system allows.
  package mutating func append(_ records: [UInt8]) throws(RecordingError) {
    var progress = WriteProgress(total: records.count)
    var step = progress.next
    while case .write(let offset) = step {
      let result = records.withUnsafeBytes { write(descriptor, $0.baseAddress.map { $0 + offset }, $0.count - offset) }
      step = progress.take(result: result, code: errno)
    }
    if case .failed(let code) = step {
      if progress.written > 0 { _ = ftruncate(descriptor, off_t(size)) }
      throw RecordingError(.write, path, code: code)
    }
    size += records.count
  }

  /// Waits until everything appended is on the disk. May take long on slow flash. A file that was removed is an
  /// error: nobody would ever find what goes into it.
  package func synchronize() throws(RecordingError) {
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_nlink == 0 {
      throw RecordingError(.synchronize, path, code: ENOENT)
    }
    while fdatasync(descriptor) != 0 {
      if errno != EINTR { throw RecordingError(.synchronize, path, code: errno) }
    }
  }
}

extension RecordingFile {
  /// Puts a whole file in the place of the one that was there: a reader sees either the old one or the new
  /// one. Anything but a regular file is left alone.
  package static func replace(_ path: String, with bytes: [UInt8], mode: mode_t = 0o644) throws(RecordingError) {
    var file = try RecordingDraft(for: path, mode: mode)
    try file.append(bytes)
    try file.publish()
  }
}

/// A file that is to take the place of another one: written beside it, and either published whole or taken back when
/// it goes out of scope.
package struct RecordingDraft: ~Copyable {
  private let path: String
  private var file: RecordingFile
  private var isPublished = false

  private var draft: String { path + ".new" }

  /// Begins a draft for a path. Anything there but a regular file is left alone.
  package init(for path: String, mode: mode_t = 0o644) throws(RecordingError) {
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw RecordingError(.create, path, code: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
    }
    let descriptor = open(path + ".new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw RecordingError(.create, path, code: errno) }
    self.path = path
    file = RecordingFile(adopting: descriptor, path: path)
  }

  deinit {
    if !isPublished { unlink(path + ".new") }
  }

  /// Adds bytes.
  package mutating func append(_ bytes: [UInt8]) throws(RecordingError) {
    try file.append(bytes)
  }

  /// Puts the file in its place: a reader sees either the old one or the new one.
  package mutating func publish() throws(RecordingError) {
    try file.synchronize()
    guard Glibc.rename(draft, path) == 0 else { throw RecordingError(.create, path, code: errno) }
    isPublished = true
  }
}

/// How far one record has been written: decides what the result of a `write` call leads to.
struct WriteProgress {
  /// What is to be done next.
  enum Step: Equatable {
    /// Write the rest, from this offset on.
    case write(from: Int)
    case done
    case failed(Int32)
  }

  /// Bytes to be written.
  let total: Int
  /// Bytes that were written.
  private(set) var written = 0

  init(total: Int) {
    self.total = total
  }

  /// Where to begin, or that there is nothing to write.
  var next: Step { written < total ? .write(from: written) : .done }

  /// Takes what `write` returned and, if that was −1, its `errno`. A write of nothing is a failure: repeating
  /// it could go on for ever.
  mutating func take(result: Int, code: Int32) -> Step {
    if result < 0 { return code == EINTR ? next : .failed(code) }
    guard result > 0, result <= total - written else { return .failed(EIO) }
    written += result
    return next
  }
}
