import Libc

package struct RecordingError: Error, Hashable, Sendable {
  package enum Operation: String, Hashable, Sendable {
    case open, create, read, write, synchronize, list, remove, rename
  }

  package enum Reason: Hashable, Sendable {
    /// No space, or no quota, left.
    case diskFull
    case readOnly
    case denied
    case notFound
    case exists
    /// It is not a regular file (or not a directory).
    case wrongKind
    case unknownFormat
    /// Its points have no times and are too far apart.
    case tooLong
    case failed
  }

  /// The code of a file without a supported format.
  package static let unknownFormat = EBADMSG
  /// The code of a file of points without times whose points are too far apart.
  package static let tooLong = EOVERFLOW

  package let operation: Operation
  package let path: String
  /// The system's `errno`.
  package let code: Int32

  package init(_ operation: Operation, _ path: String, code: Int32) {
    self.operation = operation
    self.path = path
    self.code = code
  }

  package var reason: Reason { meaning.reason }

  private var meaning: (reason: Reason, remedy: String) {
    switch code {
    case ENOSPC, EDQUOT, EFBIG: (.diskFull, "free some space, or keep fewer rides")
    case EROFS: (.readOnly, "mount the file system writable, or record elsewhere")
    case EACCES, EPERM: (.denied, "give this user access to it")
    case ENOENT: (.notFound, "check the path")
    case EEXIST: (.exists, "move it, or choose another name")
    case ENOTDIR: (.wrongKind, "name a directory")
    case EISDIR, EINVAL, ENXIO: (.wrongKind, "name a regular file")
    case Self.unknownFormat:
      (.unknownFormat, "name a recording, an NMEA log, a gpsd log, or a GPX, TCX or FIT file, none of them in UTF-16")
    case Self.tooLong: (.tooLong, "split it, or export it with times")
    default: (.failed, "check the storage device")
    }
  }
}

extension RecordingError: CustomStringConvertible {
  package var description: String {
    let cause =
      switch reason {
      case .unknownFormat: "it contains no positions in a supported format"
      case .tooLong: "its points have no times and span more than 5,000 km"
      default: String(cString: strerror(code))
      }
    return "cannot \(operation.rawValue) \(path): \(cause); \(meaning.remedy)"
  }
}
