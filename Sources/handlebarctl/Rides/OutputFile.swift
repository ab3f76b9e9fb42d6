import ArgumentParser
import Glibc
import Recordings
import SystemPackage

/// The output of a command: standard output, or a file that appears under its name once it is complete.
struct OutputFile: ~Copyable {
  private let path: String
  private let file: FileDescriptor
  /// Path until it is complete; `nil` when it is written in place.
  private let draft: String?

  /// Opens it; `-` is standard output.
  init(_ path: String) throws(ExitCode) {
    guard path != "-" else {
      self.init(path: path, file: .standardOutput, draft: nil)
      return
    }
    var status = stat()
    let isSpecial = stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    let draft = isSpecial ? nil : "\(path).\(getpid()).part"
    let file: FileDescriptor
    do {
      file =
        try draft.map {
          try FileDescriptor.open(
            $0, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
            permissions: [.ownerReadWrite, .groupRead, .otherRead])
        } ?? FileDescriptor.open(path, .writeOnly, options: .closeOnExec)
    } catch {
      throw Self.exit(.create, path, error, EX_CANTCREAT)
    }
    self.init(path: path, file: file, draft: draft)
  }

  // Swift 6.2 destroys properties set so far twice when an initializer throws.
  private init(path: String, file: FileDescriptor, draft: String?) {
    self.path = path
    self.file = file
    self.draft = draft
  }

  deinit {
    guard file != .standardOutput else { return }
    try? file.close()
    if let draft { unlink(draft) }
  }

  /// Writes bytes.
  func write(_ bytes: [UInt8]) throws(ExitCode) {
    if file == .standardOutput { return StandardOutput.write(bytes) }
    do {
      try file.writeAll(bytes)
    } catch {
      throw Self.exit(.write, path, error, EX_IOERR)
    }
  }

  /// Moves the complete file to its path.
  func finish() throws(ExitCode) {
    guard let draft, rename(draft, path) != 0 else { return }
    throw Self.exit(.create, path, Errno(rawValue: errno), EX_CANTCREAT)
  }

  private static func exit(
    _ operation: RecordingError.Operation, _ path: String, _ error: any Error, _ code: Int32
  ) -> ExitCode {
    let number = (error as? Errno)?.rawValue ?? EIO
    return CommandError.exit("\(RecordingError(operation, path, code: number))", code: code)
  }
}
