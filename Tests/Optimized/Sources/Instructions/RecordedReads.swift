import Glibc
import LocationCore

/// The reads of a recording of one source, each with its instant: `# t=` in milliseconds, and the lines behind it.
struct RecordedReads {
  private var bytes: [UInt8] = []
  private var reads: [(instant: MonotonicInstant, start: Int)] = []

  var count: Int { reads.count }

  init(path: String) {
    for line in Self.content(of: path).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      if line.first != UInt8(ascii: "#") {
        bytes += line
        bytes.append(UInt8(ascii: "\n"))
      } else if let milliseconds = Self.time(of: line) {
        reads.append((MonotonicInstant(nanoseconds: milliseconds * 1_000_000), bytes.count))
      }
    }
  }

  func instant(of read: Int) -> MonotonicInstant { reads[read].instant }

  func withBytes(of read: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
    let end = read + 1 < reads.count ? reads[read + 1].start : bytes.count
    bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[reads[read].start..<end])) }
  }

  private static func time(of line: ArraySlice<UInt8>) -> Int64? {
    let mark = Array("# t=".utf8)
    guard line.starts(with: mark) else { return nil }
    var value: Int64 = 0
    for byte in line.dropFirst(mark.count) {
      guard (0x30...0x39).contains(byte) else { break }
      value = value &* 10 &+ Int64(byte &- 0x30)
    }
    return value
  }

  private static func content(of path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else { Instructions.fail("\(path) cannot be opened") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&piece, 1, piece.count, file)
      if count == 0 { return bytes }
      bytes += piece[..<count]
    }
  }
}
