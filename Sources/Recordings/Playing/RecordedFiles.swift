import LocationCore

/// One pass through the files of a recording, in order: their inputs at recorded time.
struct RecordedFiles: ~Copyable, Sendable {
  private(set) var damage = RecordingDamageCounts()
  private(set) var boot: String?
  private(set) var lastInstant: MonotonicInstant?
  /// Whether the last file may grow and others follow: ``take()`` then returns `nil` at the end so far.
  var mayGrow = false
  /// A ride that grows gets further ones.
  var files: [String]
  var reader: RecordingReader
  /// Index of the newest input's file; files without inputs are skipped.
  private(set) var file = 0
  private var readFile = 0
  private var player = RecordingPlayer()
  private var next = 0
  private var isOver = false
  private let followsLinks: Bool
  private let skipsUnknown: Bool

  /// At least one. With `skipsUnknown` only a single file of an unknown format is an error, as after a power cut.
  init(files: [String], followsLinks: Bool = true, skipsUnknown: Bool = false) throws(RecordingError) {
    let reader = try RecordingReader(path: files.first ?? "", followsLinks: followsLinks)
    self.init(files: files, reader: reader, followsLinks: followsLinks, skipsUnknown: skipsUnknown)
  }

  // Swift 6.2 destroys properties with a default value twice when an initializer throws.
  private init(files: [String], reader: consuming RecordingReader, followsLinks: Bool, skipsUnknown: Bool) {
    self.files = files
    self.reader = reader
    self.followsLinks = followsLinks
    self.skipsUnknown = skipsUnknown
  }

  mutating func rewind() throws(RecordingError) {
    if readFile == 0 {
      try reader.rewind()
    } else {
      reader = try RecordingReader(path: files[0])
    }
    (file, readFile, next, isOver) = (0, 0, 0, false)
    player = RecordingPlayer()
  }

  /// The next input; `nil` after the end of the last file, or while the reader is paused.
  mutating func take() throws(RecordingError) -> RecordedInput? {
    while next == player.inputs.count {
      guard !isOver else { return nil }
      player.removeInputs()
      next = 0
      file = readFile
      reader.mayGrow = mayGrow && readFile + 1 == files.count
      if let item = try item() {
        switch item {
        case .damage(let damage): self.damage.count(damage)
        case .header(let header): boot = header["boot"]
        case .burst(let burst): lastInstant = burst.stamp?.instant ?? lastInstant
        case .point(let point): lastInstant = point.stamp.instant
        case .event(let event): lastInstant = event.stamp?.instant ?? lastInstant
        }
        player.format = reader.format
        player.add(item)
      } else if reader.mayGrow || reader.isPaused {
        return nil
      } else if readFile + 1 < files.count {
        player.beginFile()
        let allowance = reader.allowance
        reader = try RecordingReader(path: files[readFile + 1], followsLinks: followsLinks)
        reader.allowance = allowance
        readFile += 1
      } else {
        player.finish()
        isOver = true
      }
    }
    defer { next += 1 }
    return player.inputs[next]
  }

  private mutating func item() throws(RecordingError) -> RecordingItem? {
    do throws(RecordingError) {
      return try reader.next()
    } catch {
      guard skipsUnknown, files.count > 1, error.code == RecordingError.unknownFormat else { throw error }
      return nil
    }
  }

  mutating func untake() { next = max(0, next - 1) }
}

/// A measurement of a recording's length at speed 1, in steps: the files are read once, beside the replay.
package struct RecordingLength: ~Copyable, Sendable {
  private var files: RecordedFiles
  private var position: Duration = .zero

  /// Opens the files; at least one.
  package init(files: [String]) throws(RecordingError) { self.files = try RecordedFiles(files: files) }

  /// Reads so many further inputs; returns the length at the end.
  package mutating func measure(atMost count: Int) throws(RecordingError) -> Duration? {
    for _ in 0..<count {
      guard let input = try files.take() else { return position }
      position = input.instant - .zero
    }
    return nil
  }
}
