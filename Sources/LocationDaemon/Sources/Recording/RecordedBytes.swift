import Glibc
import LocationCore
import NIOCore
import Recordings

/// Hands a recording's bytes to its lane: sentences as they are, the reports of a gpsd line by line.
struct RecordedBytes {
  /// What came as reports.
  private(set) var link = LinkCounters()

  /// Hands one burst over.
  mutating func feed(_ bytes: [UInt8], to lane: Lane, at instant: MonotonicInstant) {
    // No sentence has a brace: looking for one costs next to nothing.
    let hasReports = bytes.withUnsafeBytes { bytes in
      bytes.baseAddress.map { memchr($0, Int32(UInt8(ascii: "{")), bytes.count) != nil } ?? false
    }
    guard hasReports else { return lane.sourceDidReceive(ByteBuffer(bytes: bytes), at: instant) }
    var sentences = ByteBuffer()
    func flush() {
      guard sentences.readableBytes > 0 else { return }
      lane.sourceDidReceive(sentences, at: instant)
      sentences.clear()
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
      let line = rest[..<end]
      rest = rest[end...]
      guard RecordedReport.begins(line) else {
        sentences.writeBytes(line)
        continue
      }
      flush()
      guard let report = line.withUnsafeBufferPointer({ RecordedReport(line: $0, at: instant) }) else {
        link.malformed &+= 1
        continue
      }
      if case .other = report { link.unknown &+= 1 } else { link.reports &+= 1 }
      lane.open(at: instant)
      lane.sourceDidReport(GPSDReport(report), line: Self.withoutEnd(line), at: instant)
    }
    flush()
  }

  private static func withoutEnd(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var line = line
    if line.last == UInt8(ascii: "\n") { line = line.dropLast() }
    if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
    return line
  }
}

extension GPSDReport {
  /// The report of a live gpsd that a recorded one stands for.
  fileprivate init(_ report: RecordedReport) {
    switch report {
    case .position(let position): self = .position(position)
    case .sky(let device, let sky): self = .sky(device: device, sky)
    case .noise(let device, let noise): self = .noise(device: device, noise)
    case .other: self = .other
    }
  }
}
