import Glibc

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
