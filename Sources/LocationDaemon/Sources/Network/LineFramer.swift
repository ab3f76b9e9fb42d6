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
    var rest = bytes.readableBytesView
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      keep(rest[..<end])
      rest = rest[(end + 1)...]
      if isSkipping {
        isSkipping = false
        continue
      }
      var line = partial[...]
      if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
      if !line.isEmpty { body(line) }
      partial.removeAll(keepingCapacity: true)
    }
    keep(rest)
  }

  private mutating func keep(_ part: ByteBufferView) {
    guard !isSkipping else { return }
    guard partial.count + part.count <= limit else {
      isSkipping = true
      overlong &+= 1
      partial.removeAll(keepingCapacity: true)
      return
    }
    partial.append(contentsOf: part)
  }

  /// Forgets an unfinished line: the connection is another one.
  mutating func reset() {
    partial.removeAll(keepingCapacity: true)
    isSkipping = false
  }
}
