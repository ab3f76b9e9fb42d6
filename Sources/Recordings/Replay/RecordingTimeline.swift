import LocationCore

/// One pass through the files of a recording, in order, every item with its position in it.
struct RecordingTimeline: ~Copyable, Sendable {
  /// What was skipped so far.
  private(set) var damage = RecordingDamageCounts()

  private let files: [String]
  private var reader: RecordingReader
  /// Which of the files the next item is of, from 0; files without one are passed by.
  private(set) var file = 0
  /// What that file holds.
  var format: InputFormat? { reader.format }
  private var time = RecordedTime()
  /// Items that are complete, from `first` on.
  private var ready: [RecordedTime.Item] = []
  private var first = 0

  /// Opens the files; at least one.
  init(files: [String]) throws(RecordingError) {
    reader = try RecordingReader(path: files.first ?? "")
    self.files = files
  }

  /// Begins again.
  mutating func rewind() throws(RecordingError) {
    if file == 0 {
      try reader.rewind()
    } else {
      reader = try RecordingReader(path: files[0])
    }
    file = 0
    time = RecordedTime()
    forgetReady()
  }

  /// The next burst or event; `nil` after the last file.
  mutating func next() throws(RecordingError) -> RecordedTime.Item? {
    while first == ready.count {
      forgetReady()
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

  private mutating func forgetReady() {
    ready.removeAll(keepingCapacity: true)
    first = 0
  }
}

/// Finds how long a recording takes at speed 1, a little at a time: it is read once, beside the replay.
package struct RecordingLength: ~Copyable, Sendable {
  private var timeline: RecordingTimeline
  private var position: Duration = .zero

  /// Opens the files; at least one.
  package init(files: [String]) throws(RecordingError) {
    timeline = try RecordingTimeline(files: files)
  }

  /// Reads on by so many items; returns the length when the end is reached.
  package mutating func measure(atMost count: Int) throws(RecordingError) -> Duration? {
    for _ in 0..<count {
      guard let item = try timeline.next() else { return position }
      position = item.position
    }
    return nil
  }
}
