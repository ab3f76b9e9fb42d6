import Glibc

/// Reads a file's items, of any size in bounded memory and whatever form ``InputFormat`` finds. Closed when it goes out of
/// scope.
package struct RecordingReader: ~Copyable, Sendable {
  /// Where the file is.
  package let path: String
  /// What was skipped so far.
  package private(set) var damage = RecordingDamageCounts()
  /// What the file holds; known with the first item, or the end.
  package var format: InputFormat? { decoder.format }

  private static let pieceSize = 65_536
  private let descriptor: Int32
  private var decoder = InputDecoder()
  private var piece: [UInt8] = Array(repeating: 0, count: pieceSize)

  /// Opens a regular file. A pipe or a device is an error: it cannot be read again from the start.
  package init(path: String) throws(RecordingError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw RecordingError(.open, path, code: errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw RecordingError(.open, path, code: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
    }
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  /// The next item, `nil` at the end of the file. What was damaged is counted as well as handed out.
  package mutating func next() throws(RecordingError) -> RecordingItem? {
    while true {
      if let item = decoder.next() {
        if case .damage(let damage) = item { self.damage.count(damage) }
        return item
      }
      if decoder.isUnknown { throw RecordingError(.read, path, code: RecordingError.unknownFormat) }
      if decoder.isEnded { return nil }
      let count = piece.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        throw RecordingError(.read, path, code: errno)
      }
      if count == 0 {
        decoder.end()
      } else {
        piece.withUnsafeBufferPointer { decoder.feed(UnsafeBufferPointer(rebasing: $0[..<count])) }
      }
    }
  }

  /// What the file at a path holds; an error if it cannot be read, or if nobody can tell.
  package static func format(ofFileAt path: String) throws(RecordingError) -> InputFormat {
    var reader = try RecordingReader(path: path)
    while true {
      if let format = reader.format { return format }
      _ = try reader.next()
    }
  }

  /// Starts again at the first byte.
  package mutating func rewind() throws(RecordingError) {
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw RecordingError(.read, path, code: errno) }
    decoder = InputDecoder()
  }
}
