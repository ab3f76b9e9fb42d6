import Glibc
import Recordings

/// The items of a file, or of standard input as they come. A pipe or a terminal is read as well as a file: nothing is read twice.
struct DecodeInput: ~Copyable {
  static let pieceSize = 65_536

  /// Bytes so far.
  private(set) var bytesRead = 0
  /// Whether everything that has been read has been handed out: what follows may take its time.
  private(set) var isWaiting = false
  private let path: String
  private let descriptor: Int32
  private var decoder = RecordingDecoder()
  private var piece: [UInt8] = Array(repeating: 0, count: pieceSize)

  /// Opens a file; `-` is standard input.
  init(path: String) throws(RecordingError) {
    self.path = path == "-" ? "standard input" : path
    descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw RecordingError(.open, path, code: errno) }
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      if descriptor != STDIN_FILENO { close(descriptor) }
      throw RecordingError(.open, path, code: EISDIR)
    }
  }

  deinit {
    if descriptor != STDIN_FILENO { close(descriptor) }
  }

  /// The next item; `nil` at the end.
  mutating func next() throws(RecordingError) -> RecordingItem? {
    while true {
      if let item = decoder.next() { return item }
      if decoder.isEnded { return nil }
      try readOn()
    }
  }

  private mutating func readOn() throws(RecordingError) {
    while true {
      let count = piece.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        bytesRead += count
        // Less than was asked for: there is no more for the moment.
        isWaiting = count < piece.count
        return piece.withUnsafeBufferPointer { decoder.feed(UnsafeBufferPointer(rebasing: $0[..<count])) }
      }
      if count == 0 { return decoder.end() }
      guard errno == EINTR else { throw RecordingError(.read, path, code: errno) }
    }
  }
}
