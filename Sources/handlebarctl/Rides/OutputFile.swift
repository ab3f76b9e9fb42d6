import ArgumentParser
import Glibc
import Recordings

/// Where a command writes what it makes: standard output, or a file that is there only once it is whole.
struct OutputFile: ~Copyable {
  private let path: String
  private let descriptor: Int32
  /// Where it is written until it is whole; `nil` when it is written in its place.
  private let draft: String?

  /// Opens it; `-` is standard output.
  init(_ path: String) throws(ExitCode) {
    let opened = try Self.opened(path)
    self.path = path
    descriptor = opened.descriptor
    draft = opened.draft
  }

  deinit {
    guard descriptor != STDOUT_FILENO else { return }
    close(descriptor)
    if let draft { unlink(draft) }
  }

  /// Writes bytes.
  func write(_ bytes: [UInt8]) throws(ExitCode) {
    if descriptor == STDOUT_FILENO { return StandardOutput.write(bytes) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        throw CommandError.exit("\(RecordingError(.write, path, code: errno))", code: EX_IOERR)
      }
    }
  }

  /// Puts the file into its place: nothing more is written.
  func finish() throws(ExitCode) {
    guard let draft, rename(draft, path) != 0 else { return }
    throw CommandError.exit("\(RecordingError(.create, path, code: errno))", code: EX_CANTCREAT)
  }

  private static func opened(_ path: String) throws(ExitCode) -> (descriptor: Int32, draft: String?) {
    if path == "-" { return (STDOUT_FILENO, nil) }
    var status = stat()
    let isOther = stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    let draft = isOther ? nil : "\(path).\(getpid()).part"
    let descriptor =
      draft.map { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644) } ?? open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw CommandError.exit("\(RecordingError(.create, path, code: errno))", code: EX_CANTCREAT)
    }
    return (descriptor, draft)
  }
}
