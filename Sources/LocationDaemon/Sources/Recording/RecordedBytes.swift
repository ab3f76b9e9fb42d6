import LocationCore
import NIOCore
import Recordings

/// Hands a recording's bytes to its feed: sentences as they are, the reports of a gpsd line by line.
///
/// A class, so that consumers of its bytes can read its counts.
final class RecordedBytes {
  /// What came as reports.
  private(set) var link = LinkCounters()

  /// Hands one burst over.
  func feed(_ bytes: [UInt8], to feed: SourceFeed, at instant: MonotonicInstant) {
    bytes.withUnsafeBytes { bytes in
      RecordedPiece.forEach(of: bytes, at: instant) { piece in
        switch piece {
        case .sentences(let sentences): feed.sourceDidReceive(ByteBuffer(bytes: sentences), at: instant)
        case .malformedReport: link.malformed &+= 1
        case .otherReport(let line):
          link.unknown &+= 1
          feed.open(at: instant)
          feed.sourceDidRead(line: Self.withoutEnd(line), at: instant)
        case .report(let report, let line):
          link.reports &+= 1
          feed.open(at: instant)
          feed.sourceDidReport(report, line: Self.withoutEnd(line), at: instant)
        }
      }
    }
  }

  /// Shows a burst that came before the place that is sought.
  func leadIn(_ bytes: [UInt8], to feed: SourceFeed, at instant: MonotonicInstant) {
    bytes.withUnsafeBytes { bytes in
      RecordedPiece.forEach(of: bytes, at: instant) { piece in
        switch piece {
        case .sentences(let sentences): feed.prime(.bytes(sentences), at: instant)
        case .otherReport, .malformedReport: break
        case .report(let report, _): feed.prime(.report(report), at: instant)
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
