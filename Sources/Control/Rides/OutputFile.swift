import ArgumentParser
import Glibc
import Recordings
import SystemPackage

/// The output of a command: standard output, a device or a pipe, or a file that gets its name once it is complete.
struct OutputFile: ~Copyable {
  private let path: String
  /// A device or a pipe, which is written in place; `nil` for a file and for standard output.
  private let stream: FileDescriptor?
  private var draft: RecordingDraft?

  static func write(_ bytes: [UInt8], to path: String) throws(ExitCode) {
    var file = try OutputFile(path)
    try file.write(bytes)
    try file.finish()
  }

  /// Opens it; `-` is standard output.
  init(_ path: String) throws(ExitCode) {
    var stream: FileDescriptor?
    var draft: RecordingDraft?
    if path != "-" {
      do {
        if let status = try? Stat(path), status.type != .regular {
          stream = try FileDescriptor.open(path, .writeOnly, options: .closeOnExec)
        } else {
          draft = try RecordingDraft(for: path)
        }
      } catch {
        throw Self.exit(.create, path, error)
      }
    }
    self.init(path, stream, draft)
  }

  // Swift 6.2 destroys properties set so far twice when an initializer throws.
  private init(_ path: String, _ stream: FileDescriptor?, _ draft: consuming RecordingDraft?) {
    self.path = path
    self.stream = stream
    self.draft = draft
  }

  deinit { try? stream?.close() }

  mutating func write(_ bytes: [UInt8]) throws(ExitCode) {
    do {
      if let stream {
        try stream.writeAll(bytes)
      } else if draft != nil {
        try draft?.file.append(bytes)
      } else {
        StandardOutput.write(bytes)
      }
    } catch {
      throw Self.exit(.write, path, error)
    }
  }

  /// Writes more than so many bytes, which are then removed.
  mutating func write(_ bytes: inout [UInt8], beyond limit: Int) throws(ExitCode) {
    guard bytes.count > limit else { return }
    try write(bytes)
    bytes.removeAll(keepingCapacity: true)
  }

  mutating func finish() throws(ExitCode) {
    do throws(RecordingError) {
      try draft?.publish()
    } catch {
      throw Self.exit(.create, path, error)
    }
  }

  private static func exit(_ operation: RecordingError.Operation, _ path: String, _ error: any Error) -> ExitCode {
    let failure = error as? RecordingError ?? RecordingError(operation, path, code: (error as? Errno)?.rawValue ?? EIO)
    return CommandError.exit(failure)
  }
}
