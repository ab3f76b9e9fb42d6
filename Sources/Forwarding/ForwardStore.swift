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

  /// Whether there is a state.
  var hasState: Bool { access(path + "/" + Self.file, F_OK) == 0 }

  /// The state; `nil` if there is none or it is damaged.
  func read() -> ForwardState? { Self.read(path) }

  /// The state in a directory, also that of a running forwarder; `nil` if there is none or it is damaged.
  package static func read(_ path: String) -> ForwardState? {
    let descriptor = open(path + "/" + file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = piece.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0, bytes.count < maximumSize else { return count == 0 ? ForwardState(bytes: bytes) : nil }
      bytes += piece[..<count]
    }
  }

  /// Replaces the state atomically; on return it survives a power cut.
  package func write(_ state: ForwardState) throws(RecordingError) {
    try RecordingFile.replace(path + "/" + Self.file, with: state.bytes, mode: 0o640)
    guard fsync(lock) == 0 else { throw RecordingError(.synchronize, path, code: errno) }
  }

  private static let file = "cursor"
  private static let maximumSize = 64 << 20
}
