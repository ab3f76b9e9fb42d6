import Glibc
import Recordings

/// The items of a file or of standard input. Nothing is read twice, so pipes and terminals are supported.
struct DecodeInput: ~Copyable {
  static let pieceSize = 65_536
  private(set) var bytesRead = 0
  private let path: String
  private let descriptor: Int32
  private var decoder = InputDecoder(readsAnything: true)
  private var piece: [UInt8] = Array(repeating: 0, count: pieceSize)

  /// Opens a file; `-` is standard input.
  init(path: String) throws(RecordingError) {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    let path = path == "-" ? "standard input" : path
    guard descriptor >= 0 else { throw RecordingError(.open, path, code: errno) }
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      if descriptor != STDIN_FILENO { close(descriptor) }
      throw RecordingError(.open, path, code: EISDIR)
    }
    self.init(adopting: descriptor, path: path)
  }

  // Swift 6.2 destroys properties with a default value twice when an initializer throws.
  private init(adopting descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit {
    if descriptor != STDIN_FILENO { close(descriptor) }
  }

  /// The next item; `nil` when more input must be read.
  mutating func next() -> RecordingItem? { decoder.next() }

  /// Waits for more input; returns `false` once the end has been reached and its last items can have been taken.
  mutating func readOn() throws(RecordingError) -> Bool {
    guard !decoder.isEnded else { return false }
    var count: Int
    repeat {
      count = piece.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    } while count < 0 && errno == EINTR
    guard count >= 0 else { throw RecordingError(.read, path, code: errno) }
    bytesRead += count
    if count == 0 {
      decoder.end()
    } else {
      piece.withUnsafeBufferPointer { decoder.feed(UnsafeBufferPointer(rebasing: $0[..<count])) }
    }
    return true
  }
}
