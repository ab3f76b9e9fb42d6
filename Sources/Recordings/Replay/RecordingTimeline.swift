import LocationCore

/// One pass through the files of a recording, in order, with the position of every item.
struct RecordingTimeline: ~Copyable, Sendable {
  /// Damage skipped so far.
  private(set) var damage = RecordingDamageCounts()

  private let files: [String]
  private var reader: RecordingReader
  /// Index of the next item's file; files without items are skipped.
  private(set) var file = 0
  /// The format of that file.
  var format: InputFormat? { reader.format }
  private var time = RecordedTime()
  /// Complete items, from `first` on.
  private var ready: [RecordedTime.Item] = []
  private var first = 0

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

  /// Returns to the beginning.
  mutating func rewind() throws(RecordingError) {
    if file == 0 {
      try reader.rewind()
    } else {
      reader = try RecordingReader(path: files[0])
    }
    file = 0
    time = RecordedTime()
    removeReady()
  }

  /// The next burst or event; `nil` at the end of the last file.
  mutating func next() throws(RecordingError) -> RecordedTime.Item? {
    while first == ready.count {
      removeReady()
      if let item = try reader.next() {
        if case .damage(let damage) = item { self.damage.count(damage) }
        time.take(item, into: &ready)
        continue
      }
      time.flush(into: &ready)
      if first < ready.count { break }
      guard file + 1 < files.count else { return nil }
      reader = try RecordingReader(path: files[file + 1])
      file += 1
      time.beginFile()
    }
    defer { first += 1 }
    return ready[first]
  }

  private mutating func removeReady() {
    ready.removeAll(keepingCapacity: true)
    first = 0
  }
}

/// A measurement of a recording's length at speed 1, in steps: the files are read once, beside the replay.
package struct RecordingLength: ~Copyable, Sendable {
  private var timeline: RecordingTimeline
  private var position: Duration = .zero

  /// Opens the files; at least one.
  package init(files: [String]) throws(RecordingError) {
    timeline = try RecordingTimeline(files: files)
  }

  /// Reads so many further items; returns the length at the end.
  package mutating func measure(atMost count: Int) throws(RecordingError) -> Duration? {
    for _ in 0..<count {
      guard let item = try timeline.next() else { return position }
      position = item.position
    }
    return nil
  }
}
