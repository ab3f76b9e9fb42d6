/// Turns the bytes of any file that can be replayed, in pieces of any size, into a recording's items: recordings, plain
/// logs, gpsd's reports, GPX. Pure, and of bounded memory.
package struct InputDecoder: Sendable {
  private enum State {
    /// The beginning, until it tells the format.
    case head([UInt8])
    case lines(RecordingDecoder)
    case gpx(GPXDecoder)
    case unknown
  }

  private var state = State.head([])
  /// What the file holds, once that is known.
  package private(set) var format: InputFormat?
  /// Whether the end of the file was said.
  package private(set) var isEnded = false

  /// A decoder at the start of a file.
  package init() {}

  /// Whether the file is none that can be read.
  package var isUnknown: Bool { if case .unknown = state { true } else { false } }

  /// Adds the next bytes of the file. To be called when ``next()`` has returned `nil`, which keeps the memory bounded.
  package mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>) {
    switch state {
    case .head(var head):
      state = .unknown
      head.append(contentsOf: bytes)
      state = .head(head)
      decide()
    case .lines(var decoder):
      // Taken out while it changes: two owners would copy its buffer.
      state = .unknown
      decoder.feed(bytes)
      state = .lines(decoder)
    case .gpx(var decoder):
      state = .unknown
      decoder.feed(bytes)
      state = .gpx(decoder)
    case .unknown: break
    }
  }

  /// Says that the file ends here.
  package mutating func end() {
    isEnded = true
    if case .head = state { decide() }
    switch state {
    case .lines(var decoder):
      decoder.end()
      state = .lines(decoder)
    case .gpx(var decoder):
      decoder.end()
      state = .gpx(decoder)
    case .head, .unknown: break
    }
  }

  /// The next item; `nil` when more bytes are needed, none come any more, or the file ``isUnknown``.
  package mutating func next() -> RecordingItem? {
    switch state {
    case .head, .unknown: return nil
    case .lines(var decoder):
      state = .unknown
      defer { state = .lines(decoder) }
      return decoder.next()
    case .gpx(var decoder):
      state = .unknown
      defer { state = .gpx(decoder) }
      return decoder.next()
    }
  }

  private mutating func decide() {
    guard case .head(let head) = state else { return }
    switch InputFormat.of(head, isWhole: isEnded) {
    case .failure(.undecided): return
    case .failure(.unknown): state = .unknown
    case .success(let format):
      self.format = format
      if format == .gpx {
        var decoder = GPXDecoder()
        head.withUnsafeBufferPointer { decoder.feed($0) }
        state = .gpx(decoder)
      } else {
        var decoder = RecordingDecoder()
        head.withUnsafeBufferPointer { decoder.feed($0) }
        state = .lines(decoder)
      }
    }
  }
}
