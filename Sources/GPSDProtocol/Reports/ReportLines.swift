/// Cuts the bytes of a connection to the daemon into lines, wherever the reads were split. Holds one line at most.
package struct ReportLines: Sendable {
  /// Longest line that is read: the protocol's bound and some room for a daemon to come.
  package static let maximumLength = 16_384

  private var line: [UInt8] = []
  private var overflowed = false

  package init() {}

  /// Takes bytes from `index` up to the end of the next line, and moves `index` behind them; `nil` when `bytes` ends first.
  /// The line is without its end and can be had once more as it came: see `Report(line:)`.
  package mutating func nextLine(in bytes: Span<UInt8>, from index: inout Int) throws(ReportError) -> [UInt8]? {
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      guard byte == Byte.lineFeed else {
        if line.count < Self.maximumLength { line.append(byte) } else { overflowed = true }
        continue
      }
      defer {
        line.removeAll(keepingCapacity: true)
        overflowed = false
      }
      if overflowed { throw .tooLong }
      if line.last == Byte.carriageReturn { line.removeLast() }
      if !line.isEmpty { return line }
    }
    return nil
  }
}
