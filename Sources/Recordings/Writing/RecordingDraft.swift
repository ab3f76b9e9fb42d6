import Libc

/// A file that replaces another one: written beside it, and published as a whole or removed at the end of its scope.
/// Its name until then is random and new, so that nothing of another user in the directory is opened or written.
package struct RecordingDraft: ~Copyable {
  package static let prefix = ".handlebar-"

  private let path: String
  private let draft: String
  private let isDurable: Bool
  package var file: RecordingFile
  private var isPublished = false

  /// Only a regular file may be there. It gets its `owner` before its name: a path that is used again may be a link.
  package init(
    for path: String, mode: mode_t = 0o644, owner: (user: uid_t, group: gid_t)? = nil, isDurable: Bool = true
  ) throws(RecordingError) {
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw RecordingError(.create, path, code: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
    }
    let draft = Self.directory(of: path) + "/" + Self.prefix + String(UInt64.random(in: .min ... .max), radix: 16)
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw RecordingError(.create, path, code: errno) }
    if let owner, fchown(descriptor, owner.user, owner.group) != 0 {
      let code = errno
      close(descriptor)
      unlink(draft)
      throw RecordingError(.create, path, code: code)
    }
    self.path = path
    self.draft = draft
    self.isDurable = isDurable
    file = RecordingFile(adopting: descriptor, path: path)
  }

  deinit {
    if !isPublished { unlink(draft) }
  }

  /// Renames the draft to its path: a reader sees either the old file or the new one, also after a power cut.
  package mutating func publish() throws(RecordingError) {
    if isDurable { try file.synchronize() }
    guard rename(draft, path) == 0 else { throw RecordingError(.create, path, code: errno) }
    isPublished = true
    guard isDurable else { return }
    do throws(RecordingError) {
      try RecordingFile.synchronize(directory: Self.directory(of: path))
    } catch {
      // A directory that may be changed but not read cannot be opened.
      guard error.reason == .denied else { throw error }
    }
  }

  private static func directory(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }
}

extension RecordingFile {
  package static func replace(
    _ path: String, with bytes: [UInt8], mode: mode_t = 0o644, owner: (user: uid_t, group: gid_t)? = nil,
    isDurable: Bool = true
  ) throws(RecordingError) {
    var draft = try RecordingDraft(for: path, mode: mode, owner: owner, isDurable: isDurable)
    try draft.file.append(bytes)
    try draft.publish()
  }

  /// Makes changed names in a directory survive a power cut.
  static func synchronize(directory path: String) throws(RecordingError) {
    let descriptor = open(path.isEmpty ? "/" : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw RecordingError(.synchronize, path, code: errno) }
    defer { close(descriptor) }
    // Some file systems have nothing to synchronize.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw RecordingError(.synchronize, path, code: errno) }
  }

  /// `nil` if there is none. A larger one is ``RecordingError/unknownFormat``, a link an error unless `followsLinks`.
  package static func contents(
    of path: String, limit: Int, followsLinks: Bool = false
  ) throws(RecordingError) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW))
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw RecordingError(.open, path, code: errno)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw RecordingError(.open, path, code: EINVAL)
    }
    guard status.st_size <= limit else { throw RecordingError(.read, path, code: RecordingError.unknownFormat) }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var filled = 0
    while filled < bytes.count {
      let count = bytes.withUnsafeMutableBytes { buffer in
        read(descriptor, buffer.baseAddress.map { $0 + filled }, buffer.count - filled)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw RecordingError(.read, path, code: errno) }
      guard count > 0 else { break }
      filled += count
    }
    return filled == bytes.count ? bytes : Array(bytes[..<filled])
  }
}
