import GPSDProtocol
import LocationCore
import NIOCore

/// Encodes fixes into lines. The body of a fix is written once; each reason is another ending for it.
final class FixEncoder {
  private let sources: [SourceURI]
  private let names: [String]
  private var line = JSONLine()
  private var body: (seq: UInt64, length: Int)?

  init(sources: [SourceURI], names: [String]) {
    self.sources = sources
    self.names = names
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
    names.indices.contains(fix.source) ? names[fix.source] : nil
  }

  /// The path of the device of a fix.
  func device(of fix: PublishedFix) -> String? {
    sources.indices.contains(fix.source) ? sources[fix.source].device : nil
  }
}
