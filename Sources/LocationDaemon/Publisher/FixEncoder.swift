import GPSDProtocol
import LocationCore
import NIOCore

/// Encodes fixes into lines. The body of a fix is written once; each reason is another ending for it.
final class FixEncoder {
  private struct Known {
    let id: Int
    let name: String
    let device: String
  }

  /// Name and device of each source. There are few: a search through them is shorter than a hash.
  private var sources: [Known] = []
  private var line = JSONLine()
  private var body: (seq: UInt64, length: Int)?

  /// Knows the lanes that there are from now on; of the others, only the one that the newest fix came from.
  func know(_ lanes: [Lane], newest: PublishedFix?) {
    sources.removeAll { known in known.id != newest?.source || lanes.contains { $0.id == known.id } }
    for lane in lanes { sources.append(Known(id: lane.id, name: lane.name, device: lane.uri.device)) }
  }

  /// One whole `TPV` line; `age` in seconds only for a fix that is told again.
  func encode(_ fix: PublishedFix, reason: DeliveryReason, age: Double? = nil) -> ByteBuffer {
    if let body, body.seq == fix.seq {
      line.truncate(to: body.length)
    } else {
      line.removeAll()
      TPVLine.body(fix.fix, device: device(of: fix), into: &line)
      body = (fix.seq, line.count)
    }
    TPVLine.finish(&line, fix, reason: reason.rawValue, age: age, source: name(of: fix))
    return ByteBuffer(bytes: line.bytes)
  }

  /// The name of the source of a fix.
  func name(of fix: PublishedFix) -> String? {
    known(fix)?.name
  }

  /// The path of the device of a fix.
  func device(of fix: PublishedFix) -> String? {
    known(fix)?.device
  }

  private func known(_ fix: PublishedFix) -> Known? {
    sources.first { $0.id == fix.source }
  }
}
