/// Turns the bytes of any file that can be replayed, in pieces of any size, into a recording's items: recordings, plain
/// logs, gpsd's reports, GPX. Pure, and of bounded memory.
package struct InputDecoder: Sendable {
  /// The beginning, until it tells the format.
  private var head: [UInt8] = []
  /// What reads the format, one at most. Not the payloads of an enum: each step would copy them out and in.
  private var lines: RecordingDecoder?
  private var gpx: GPXDecoder?
  /// Whether the file is none that can be read.
  package private(set) var isUnknown = false
  /// What the file holds, once that is known.
  package private(set) var format: InputFormat?
  /// Whether the end of the file was said.
  package private(set) var isEnded = false

  /// A decoder at the start of a file.
  package init() {}

  /// Adds the next bytes of the file. To be called when ``next()`` has returned `nil`, which keeps the memory bounded.
  package mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>) {
    if isUnknown { return }
    guard format == nil else {
      lines?.feed(bytes)
      gpx?.feed(bytes)
      return
    }
    head.append(contentsOf: bytes)
    decide()
  }

  /// Says that the file ends here.
  package mutating func end() {
    isEnded = true
    if format == nil, !isUnknown { decide() }
    lines?.end()
    gpx?.end()
  }

  /// The next item; `nil` when more bytes are needed, none come any more, or the file ``isUnknown``.
  package mutating func next() -> RecordingItem? {
    if let item = lines?.next() { return item }
    return gpx?.next()
  }

  private mutating func decide() {
    switch InputFormat.of(head, isWhole: isEnded) {
    case .failure(.undecided): return
    case .failure(.unknown): isUnknown = true
    case .success(let format):
      self.format = format
      if format == .gpx {
        var decoder = GPXDecoder()
        head.withUnsafeBufferPointer { decoder.feed($0) }
        gpx = decoder
      } else {
        var decoder = RecordingDecoder()
        head.withUnsafeBufferPointer { decoder.feed($0) }
        lines = decoder
      }
    }
    head = []
  }
}
