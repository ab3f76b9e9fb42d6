/// Cuts a stream of bytes from the daemon into lines.
struct LineCutter {
  private var partial: [UInt8] = []

  /// Takes bytes in; returns the lines that they complete.
  mutating func append(_ bytes: some Sequence<UInt8>) throws -> [ReceivedLine] {
    partial += bytes
    var lines: [ReceivedLine] = []
    var start = partial.startIndex
    while let end = partial[start...].firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(try ReceivedLine(partial[start...end]))
      start = end + 1
    }
    partial.removeFirst(start)
    return lines
  }
}
