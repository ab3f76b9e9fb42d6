import Glibc

/// The operating system refused something that a recording needs.
package struct RecordingError: Error, Hashable, Sendable {
  /// What was asked of the system.
  package enum Operation: String, Hashable, Sendable {
    case open, create, read, write, synchronize, list, remove, rename
  }

  /// What the refusal means for a person.
  package enum Reason: Hashable, Sendable {
    /// No space, or no quota, left.
    case diskFull
    /// The file system is mounted read-only.
    case readOnly
    /// The user may not.
    case denied
    /// There is no such file or directory.
    case notFound
    /// It is there already; nothing is ever overwritten.
    case exists
    /// It is something else than a file (or directory) of data.
    case wrongKind
    /// It holds nothing that can be read as a recording.
    case unknownFormat
    /// The device failed, or anything else.
    case failed
  }

  /// The code of a file that the system gives and nobody here can read.
  package static let unknownFormat = EBADMSG

  /// What was asked.
  package let operation: Operation
  /// Of which file or directory.
  package let path: String
  /// The system's `errno`.
  package let code: Int32

  /// The refusal of that operation.
  package init(_ operation: Operation, _ path: String, code: Int32) {
    self.operation = operation
    self.path = path
    self.code = code
  }

  /// What it means.
  package var reason: Reason {
    switch code {
    case ENOSPC, EDQUOT, EFBIG: .diskFull
    case EROFS: .readOnly
    case EACCES, EPERM: .denied
    case ENOENT: .notFound
    case EEXIST: .exists
    case EISDIR, ENOTDIR, EINVAL, ENXIO: .wrongKind
    case Self.unknownFormat: .unknownFormat
    default: .failed
    }
  }

  /// What a person can do about it.
  package var remedy: String {
    switch reason {
    case .diskFull: "free some space, or keep fewer rides"
    case .readOnly: "mount the file system writable, or record elsewhere"
    case .denied: "let the user of this process access it"
    case .notFound: "check the path"
    case .exists: "move it away"
    case .wrongKind: "name a regular file, or a directory to record into"
    case .unknownFormat: "name a recording, an NMEA log, gpsd's JSON or a GPX file"
    case .failed: "check the storage device"
    }
  }
}

extension RecordingError: CustomStringConvertible {
  /// One line: what failed, why, and what to do.
  package var description: String {
    let cause = reason == .unknownFormat ? "it holds no positions in a known form" : String(cString: strerror(code))
    return "cannot \(operation.rawValue) \(path): \(cause); \(remedy)"
  }
}
