import LocationCore
import NIOCore
import Recordings

/// Hands a recording's bytes to its feed: sentences as they are, the reports of a gpsd line by line.
final class RecordedBytes {
  /// What came as reports.
  private(set) var link = LinkCounters()

  /// Hands one burst over.
  func feed(_ bytes: [UInt8], to feed: SourceFeed, at instant: MonotonicInstant) {
    bytes.withUnsafeBytes { bytes in
      RecordedPiece.forEach(of: bytes, at: instant) { piece in
        switch piece {
        case .sentences(let sentences): feed.sourceDidReceive(ByteBuffer(bytes: sentences), at: instant)
        case .report(nil, _): link.malformed &+= 1
        case .report(let report?, let line):
          if case .other = report { link.unknown &+= 1 } else { link.reports &+= 1 }
          feed.open(at: instant)
          if let report = GPSDReport(report) {
            feed.sourceDidReport(report, line: Self.withoutEnd(line), at: instant)
          } else {
            feed.sourceDidRead(line: Self.withoutEnd(line), at: instant)
          }
        }
      }
    }
  }

  /// Shows a burst that precedes the position that is sought.
  func prime(_ bytes: [UInt8], _ feed: SourceFeed, at instant: MonotonicInstant) {
    bytes.withUnsafeBytes { bytes in
      RecordedPiece.forEach(of: bytes, at: instant) { piece in
        switch piece {
        case .sentences(let sentences): feed.prime(.bytes(sentences), at: instant)
        case .report(let report, _): feed.prime(.report(report.flatMap { GPSDReport($0) }), at: instant)
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
  /// The report of a live gpsd that a recorded one stands for.
  fileprivate init?(_ report: RecordedReport) {
    switch report {
    case .position(let position): self = .position(position)
    case .sky(let device, let sky): self = .sky(device: device, sky)
    case .noise(let device, let noise): self = .noise(device: device, noise)
    case .other: return nil
    }
  }
}
