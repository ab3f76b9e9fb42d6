import LocationCore

/// One pass through the files of a recording, in order: their inputs at recorded time.
struct RecordedFiles: ~Copyable, Sendable {
  /// Damage skipped so far.
  private(set) var damage = RecordingDamageCounts()
  private let files: [String]
  private var reader: RecordingReader
  /// Index of the newest input's file; files without inputs are skipped.
  private(set) var file = 0
  /// Index of the file that is read.
  private var readFile = 0
  private var player = RecordingPlayer()
  /// Index of the next of the player's inputs.
  private var next = 0
  private var isOver = false

  /// Opens the files; at least one.
  init(files: [String]) throws(RecordingError) {
    let reader = try RecordingReader(path: files.first ?? "")
    self.init(files: files, reader: reader)
  }

  // Swift 6.2 destroys properties with a default value twice when an initializer throws.
  private init(files: [String], reader: consuming RecordingReader) {
    self.files = files
    self.reader = reader
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

  /// The next input; `nil` after the end of the last file.
  mutating func take() throws(RecordingError) -> RecordedInput? {
    while next == player.inputs.count {
      guard !isOver else { return nil }
      player.removeInputs()
      next = 0
      file = readFile
      if let item = try reader.next() {
        if case .damage(let damage) = item { self.damage.count(damage) }
        player.format = reader.format
        player.take(item)
      } else if readFile + 1 < files.count {
        player.beginFile()
        reader = try RecordingReader(path: files[readFile + 1])
        readFile += 1
      } else {
        player.finish()
        isOver = true
      }
    }
    defer { next += 1 }
    return player.inputs[next]
  }

  /// Goes back to the newest input.
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
