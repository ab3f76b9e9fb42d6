import NIOCore

/// Cuts a byte stream into lines of bounded length.
struct LineFramer {
  /// Lines that were too long and were dropped whole.
  private(set) var overlong: UInt64 = 0

  private let limit: Int
  private var partial: [UInt8] = []
  private var isSkipping = false

  /// Lines of at most `limit` bytes.
  init(limit: Int) {
    self.limit = limit
  }

  /// Takes bytes in and hands out each line that they complete, without its line end; empty lines are passed by.
  mutating func take(_ bytes: ByteBuffer, _ body: (ArraySlice<UInt8>) -> Void) {
    for byte in bytes.readableBytesView {
      guard byte == UInt8(ascii: "\n") else {
        if isSkipping { continue }
        if partial.count >= limit {
          isSkipping = true
          overlong &+= 1
          partial.removeAll(keepingCapacity: true)
        } else {
          partial.append(byte)
        }
        continue
      }
      if isSkipping {
        isSkipping = false
        continue
      }
      var line = partial[...]
      if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
      if !line.isEmpty { body(line) }
      partial.removeAll(keepingCapacity: true)
    }
  }

  /// Forgets an unfinished line: the connection is another one.
  mutating func reset() {
    partial.removeAll(keepingCapacity: true)
    isSkipping = false
  }
}
