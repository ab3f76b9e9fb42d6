import Libc

/// A reader of the items of a file of any size and ``InputFormat``, in bounded memory.
package struct RecordingReader: ~Copyable, Sendable {
  package let path: String
  /// The file's format; known with the first item, or at the end.
  package var format: InputFormat? { decoder.format }

  /// Number of bytes after which ``next()`` returns `nil` and ``isPaused`` is `true`.
  package var allowance = Int.max
  package var isPaused: Bool { allowance <= 0 && !decoder.isEnded }
  /// Whether the file may grow: `next()` then returns `nil` at its end so far, and may be called again.
  package var mayGrow = false

  /// Bytes of a read.
  package static let pieceSize = 65_536
  package private(set) var bytesRead = 0
  private let descriptor: Int32
  private var decoder: InputDecoder
  private var piece: [UInt8] = Array(repeating: 0, count: pieceSize)

  /// A pipe or device is an error: it cannot be rewound. So is a link unless `followsLinks`: it may be another user's.
  package init(path: String, followsLinks: Bool = true) throws(RecordingError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW))
    guard descriptor >= 0 else { throw RecordingError(.open, path, code: errno) }
    let kind = Self.kind(of: descriptor)
    guard kind == S_IFREG else {
      close(descriptor)
      throw RecordingError(.open, path, code: kind == S_IFDIR ? EISDIR : EINVAL)
    }
    self.init(descriptor, path: path, InputDecoder())
  }

  /// Opens what is read once: also a pipe, a device, or `-`. What is no file of points is read as lines in any case.
  package init(once path: String) throws(RecordingError) {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    let path = path == "-" ? "standard input" : path
    guard descriptor >= 0 else { throw RecordingError(.open, path, code: errno) }
    guard Self.kind(of: descriptor) != S_IFDIR else {
      if descriptor != STDIN_FILENO { close(descriptor) }
      throw RecordingError(.open, path, code: EISDIR)
    }
    self.init(descriptor, path: path, InputDecoder(readsAnything: true))
  }

  // Swift 6.2 destroys properties with a default value twice when an initializer throws.
  private init(_ descriptor: Int32, path: String, _ decoder: InputDecoder) {
    self.descriptor = descriptor
    self.path = path
    self.decoder = decoder
  }

  /// The kind of an open file; `nil` if it is unknown.
  private static func kind(of descriptor: Int32) -> mode_t? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  deinit {
    if descriptor != STDIN_FILENO { close(descriptor) }
  }

  /// The next item; `nil` at the end of the file.
  package mutating func next() throws(RecordingError) -> RecordingItem? {
    while true {
      if let item = decoder.next() { return item }
      if decoder.isUnknown { throw RecordingError(.read, path, code: RecordingError.unknownFormat) }
      if decoder.isTooLong { throw RecordingError(.read, path, code: RecordingError.tooLong) }
      guard allowance > 0, try readOn() else { return nil }
    }
  }

  /// The next item of what has been read; `nil` when more must be read.
  package mutating func nextRead() -> RecordingItem? { decoder.next() }

  /// Waits for more; returns `false` at the end, once its last items can have been taken.
  package mutating func readOn() throws(RecordingError) -> Bool {
    guard !decoder.isEnded else { return false }
    var count: Int
    repeat {
      count = piece.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    } while count < 0 && errno == EINTR
    guard count >= 0 else { throw RecordingError(.read, path, code: errno) }
    guard count > 0 else {
      if !mayGrow { decoder.end() }
      return !mayGrow
    }
    allowance -= count
    bytesRead += count
    piece.withUnsafeBufferPointer { decoder.feed(UnsafeBufferPointer(rebasing: $0[..<count])) }
    return true
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
