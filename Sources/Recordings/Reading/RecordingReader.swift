import Libc

/// A reader of the items of a file of any size and ``InputFormat``, in bounded memory.
package struct RecordingReader: ~Copyable, Sendable {
  package let path: String
  package private(set) var damage = RecordingDamageCounts()
  /// The file's format; known with the first item, or at the end.
  package var format: InputFormat? { decoder.format }

  /// Number of bytes after which ``next()`` returns `nil` and ``isPaused`` is `true`.
  package var allowance = Int.max
  /// Whether reading waits for another ``allowance``.
  package var isPaused: Bool { allowance <= 0 && !decoder.isEnded }
  /// Whether the file may grow: `next()` then returns `nil` at its end so far, and may be called again.
  package var mayGrow = false

  private static let pieceSize = 65_536
  private let descriptor: Int32
  private var decoder = InputDecoder()
  private var piece: [UInt8] = Array(repeating: 0, count: pieceSize)

  /// Opens a regular file. A pipe or a device is an error: it cannot be rewound. A link is an error unless
  /// `followsLinks`: in a directory of rides, others may have put it there.
  package init(path: String, followsLinks: Bool = true) throws(RecordingError) {
    self.init(try Self.open(path, followsLinks: followsLinks), path: path)
  }

  // Swift 6.2 destroys properties with a default value twice when an initializer throws.
  private init(_ descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  private static func open(_ path: String, followsLinks: Bool) throws(RecordingError) -> Int32 {
    let descriptor = Libc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW))
    guard descriptor >= 0 else { throw RecordingError(.open, path, code: errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw RecordingError(.open, path, code: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
    }
    return descriptor
  }

  deinit { close(descriptor) }

  /// The next item; `nil` at the end of the file. Damage is counted and returned.
  package mutating func next() throws(RecordingError) -> RecordingItem? {
    while true {
      if let item = decoder.next() {
        if case .damage(let damage) = item { self.damage.count(damage) }
        return item
      }
      if decoder.isUnknown { throw RecordingError(.read, path, code: RecordingError.unknownFormat) }
      if decoder.isTooLong { throw RecordingError(.read, path, code: RecordingError.tooLong) }
      if decoder.isEnded || allowance <= 0 { return nil }
      let count = piece.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        throw RecordingError(.read, path, code: errno)
      }
      if count == 0 {
        guard !mayGrow else { return nil }
        decoder.end()
      } else {
        allowance -= count
        piece.withUnsafeBufferPointer { decoder.feed(UnsafeBufferPointer(rebasing: $0[..<count])) }
      }
    }
  }

  /// The format of the file at a path; an error if the file cannot be read or its format is unknown.
  package static func format(ofFileAt path: String) throws(RecordingError) -> InputFormat {
    var reader = try RecordingReader(path: path)
    while true {
      if let format = reader.format { return format }
      _ = try reader.next()
    }
  }

  package mutating func rewind() throws(RecordingError) {
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw RecordingError(.read, path, code: errno) }
    decoder = InputDecoder()
  }
}
