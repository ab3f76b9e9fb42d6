import GPSDProtocol
import LocationCore

/// A translator of a recording's items to what sources and clients gave the engine, each at its recorded time. Pure.
///
/// The header's facts, the times, runs of the recorder, gaps, losses, and reports among sentences are handled here. The
/// caller adds the pace:
/// ```
/// player.take(item)
/// for input in player.inputs { try? engine.take(input, of: &sources, into: &events) }
/// player.removeInputs()
/// ```
package struct RecordingPlayer: Sendable {
  /// What the items so far have completed; removed by the caller.
  package private(set) var inputs: [RecordedInput] = []
  /// The newest instant.
  package private(set) var now = MonotonicInstant.zero
  /// The format of the items' file, if known: sentences do not continue reports.
  package var format: InputFormat? { didSet { hasNewFormat = hasNewFormat || oldValue != nil && format != oldValue } }

  private var time = RecordedTime()
  private var timed: [RecordedTime.Item] = []
  private var run: RecorderRun?
  private var hasBegun = false
  /// Whether no input has followed the beginning.
  private var isNew = false
  private var hasNewFormat = false

  /// The beginning of a recording, at instant zero.
  package init() {}

  /// Removes the inputs, keeping their storage.
  package mutating func removeInputs() { inputs.removeAll(keepingCapacity: true) }

  /// Takes the next item. Damage has no input.
  package mutating func take(_ item: RecordingItem) {
    switch item {
    case .damage: return
    case .header(let header): take(header)
    case .burst(let burst):
      guard let stamp = burst.stamp else { break }
      // The common case, without a copy of the item.
      let place = time.take(stamp, into: &timed)
      takeTimed()
      take(burst, at: place)
      return
    case .event: break
    }
    time.take(item, into: &timed)
    takeTimed()
  }

  /// Continues in another file.
  package mutating func beginFile() {
    flush()
    time.beginFile()
  }

  /// Ends the recording.
  package mutating func finish() {
    flush()
    append(.end)
  }

  private mutating func flush() {
    time.flush(into: &timed)
    takeTimed()
  }

  /// A rotated file repeats the header; a restarted recorder has another run.
  private mutating func take(_ header: RecordingHeader) {
    let run = RecorderRun(header)
    defer { self.run = run }
    if hasBegun {
      guard run != self.run else { return }
      flush()
      append(.end)
    }
    begin(RecordedSetup(header))
  }

  private mutating func begin(_ setup: RecordedSetup) {
    (hasBegun, isNew) = (true, true)
    append(.begin(setup))
  }

  private mutating func takeTimed() {
    for item in timed {
      switch item.content {
      case .burst(let burst): take(burst, at: item.place)
      case .event(let event):
        advance(to: item.place)
        append(RecordedInput.Content(event: event.json), of: event.stamp?.source)
      }
    }
    timed.removeAll(keepingCapacity: true)
  }

  private mutating func take(_ burst: RecordedBurst, at place: RecordedTime.Place) {
    advance(to: place)
    let source = burst.stamp?.source
    let isStamped = burst.stamp != nil
    burst.bytes.withUnsafeBytes { bytes in
      RecordedPiece.forEach(of: bytes, at: now) { piece in
        switch piece {
        case .sentences(let sentences):
          // A burst without reports is passed on as it is.
          let whole = sentences.count == burst.bytes.count ? burst.bytes : Array(sentences)
          append(.bytes(whole), of: source, isStamped: isStamped)
        case .report(let report, let line):
          append(.report(report, line: Array(line)), of: source, isStamped: isStamped)
        case .otherReport(let line):
          append(.otherReport(line: Array(line)), of: source, isStamped: isStamped)
        case .malformedReport: append(.malformedReport, of: source, isStamped: isStamped)
        }
      }
    }
  }

  private mutating func advance(to place: RecordedTime.Place) {
    if !hasBegun { begin(.log) }
    now = .zero + place.position
    if place.isCut || hasNewFormat, !isNew { append(.restart) }
    (isNew, hasNewFormat) = (false, false)
    if place.isAfterGap { append(.gap) }
  }

  private mutating func append(_ content: RecordedInput.Content, of source: Int? = nil, isStamped: Bool = true) {
    inputs.append(RecordedInput(content, of: source, at: now, isStamped: isStamped))
  }
}
