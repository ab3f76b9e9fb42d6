import LocationCore

/// The bytes of one source that wait for the end of their line.
///
/// A read can stop anywhere, a line of the file cannot: what the read left unfinished is held until
/// the line ends. A line ends with LF, or with a CR that something other than LF follows.
struct HeldLine: Sendable {
  /// The source, as in ``RecordingStamp/source``.
  let source: Int
  /// The unfinished line; after ``take(_:at:utc:)`` also what has been finished.
  private(set) var bytes: [UInt8] = []
  /// When the newest of the bytes was read.
  private(set) var stamp: RecordingStamp

  init(source: Int) {
    self.source = source
    stamp = RecordingStamp(instant: .zero, source: source)
  }

  /// Adds what was read.
  mutating func take(_ read: UnsafeBufferPointer<UInt8>, at instant: MonotonicInstant, utc: UTCInstant?) {
    bytes.append(contentsOf: read)
    stamp = RecordingStamp(instant: instant, utc: utc, source: source)
  }

  /// Hands each finished line to `body` and forgets it. With `evenUnfinished` the rest goes as well.
  mutating func release(evenUnfinished: Bool, _ body: (UnsafeBufferPointer<UInt8>.SubSequence) -> Void) {
    let used = bytes.withUnsafeBufferPointer { bytes in
      var start = 0
      var index = 0
      while index < bytes.count {
        let byte = bytes[index]
        let isLoneCR = byte == UInt8(ascii: "\r") && index + 1 < bytes.count && bytes[index + 1] != UInt8(ascii: "\n")
        index += 1
        if byte == UInt8(ascii: "\n") || isLoneCR {
          body(bytes[start..<index])
          start = index
        }
      }
      if evenUnfinished && start < bytes.count {
        body(bytes[start...])
        start = bytes.count
      }
      return start
    }
    bytes.removeFirst(used)
  }
}
