import Glibc
import LocationCore
import Recordings

extension MonotonicInstant {
  static func milliseconds(_ count: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: count * 1_000_000) }
}

/// The items of a recording held in memory.
func items(of bytes: [UInt8]) -> [RecordingItem] {
  var decoder = RecordingDecoder()
  var items: [RecordingItem] = []
  for begin in stride(from: 0, to: bytes.count, by: 65_536) {
    bytes[begin..<min(begin + 65_536, bytes.count)].withUnsafeBufferPointer { decoder.feed($0) }
    while let item = decoder.next() { items.append(item) }
  }
  decoder.end()
  while let item = decoder.next() { items.append(item) }
  return items
}

/// Calls `body` with the path of a temporary file that holds a text.
func withFile<Result>(_ text: String, _ body: (String) throws -> Result) throws -> Result {
  try withFile(Array(text.utf8), body)
}

func withFile<Result>(_ bytes: [UInt8], _ body: (String) throws -> Result) throws -> Result {
  let path = "/tmp/handlebar-test-\(getpid())-\(UInt64.random(in: 0 ... .max))-route"
  defer { unlink(path) }
  try RecordingFile.replace(path, with: bytes)
  return try body(path)
}
