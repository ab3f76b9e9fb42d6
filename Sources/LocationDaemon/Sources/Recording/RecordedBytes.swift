import LocationCore
import NIOCore
import Recordings

/// Passes a recording's bytes to its lane: sentences as they are, gpsd's reports line by line.
///
/// A class, so that the lane can read its counts while it is passed bytes.
final class RecordedBytes {
  /// Counts of reports.
  private(set) var link = LinkCounters()

  /// Passes a burst.
  func feed(_ bytes: [UInt8], to lane: Lane, at instant: MonotonicInstant) {
    bytes.withUnsafeBytes { bytes in
      RecordedPiece.forEach(of: bytes, at: instant) { piece in
        switch piece {
        case .sentences(let sentences): lane.sourceDidReceive(ByteBuffer(bytes: sentences), at: instant)
        case .report(nil, _): link.malformed &+= 1
        case .report(let report?, let line):
          if case .other = report { link.unknown &+= 1 } else { link.reports &+= 1 }
          lane.open(at: instant)
          lane.sourceDidReport(GPSDReport(report), line: Self.withoutEnd(line), at: instant)
        }
      }
    }
  }

  /// Passes a burst from before the target of a seek.
  func leadIn(_ bytes: [UInt8], to lane: Lane, at instant: MonotonicInstant) {
    bytes.withUnsafeBytes { bytes in
      RecordedPiece.forEach(of: bytes, at: instant) { piece in
        switch piece {
        case .sentences(let sentences): lane.leadIn(sentences, at: instant)
        case .report(nil, _): break
        case .report(let report?, _): lane.leadIn(GPSDReport(report), at: instant)
        }
      }
    }
  }

  private static func withoutEnd(_ line: UnsafeBufferPointer<UInt8>) -> ArraySlice<UInt8> {
    var line = line[...]
    if line.last == UInt8(ascii: "\n") { line = line.dropLast() }
    if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
    return ArraySlice(line)
  }
}

extension GPSDReport {
  /// The report of a live gpsd with the contents of a recorded one.
  fileprivate init(_ report: RecordedReport) {
    switch report {
    case .position(let position): self = .position(position)
    case .sky(let device, let sky): self = .sky(device: device, sky)
    case .noise(let device, let noise): self = .noise(device: device, noise)
    case .other: self = .other
    }
  }
}
