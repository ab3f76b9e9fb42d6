import Glibc
import Recordings

/// The directory in which a forwarder keeps its state, used by one forwarder at a time.
package final class ForwardStore {
  private let path: String
  private let lock: Int32

  /// Opens the directory; creates it, but not its parents. Another forwarder that uses it is an error (`EBUSY`).
  package init(path: String) throws(RecordingError) {
    self.path = path
    guard mkdir(path, 0o750) == 0 || errno == EEXIST else { throw RecordingError(.create, path, code: errno) }
    lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard lock >= 0 else { throw RecordingError(.open, path, code: errno) }
    if flock(lock, LOCK_EX | LOCK_NB) != 0 {
      close(lock)
      throw RecordingError(.open, path, code: EBUSY)
    }
  }

  deinit { close(lock) }

  /// The state; `nil` if there is none.
  package func read() throws(RecordingError) -> ForwardState? { try Self.read(path) }

  /// The state in a directory, also that of a running forwarder; `nil` if there is none. A damaged one is an error with
  /// the code ``RecordingError/unknownFormat``.
  package static func read(_ path: String) throws(RecordingError) -> ForwardState? {
    let path = path + "/" + file
    guard let bytes = try RecordingFile.contents(of: path, limit: maximumSize) else { return nil }
    guard let state = ForwardState(bytes: bytes) else {
      throw RecordingError(.read, path, code: RecordingError.unknownFormat)
    }
    return state
  }

  /// Replaces the state atomically; on return it survives a power cut.
  package func write(_ state: ForwardState) throws(RecordingError) {
    try RecordingFile.replace(path + "/" + Self.file, with: state.bytes, mode: 0o640)
  }

  private static let file = "cursor"
  private static let maximumSize = 64 << 20
}
