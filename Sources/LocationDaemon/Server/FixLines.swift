import GPSDProtocol
import LocationCore
import NIOCore

/// Encodes fixes into `TPV` lines. The body of a fix is written once; each reason only changes the end of the line.
final class FixEncoder {
  private struct Source {
    let id: Int
    let name: String
    let device: String
  }

  /// Name and device of each source. They are few: a linear search is faster than a hash.
  private var sources: [Source] = []
  private var line = JSONLine()
  private var body: (seq: UInt64, length: Int)?

  /// Registers the present sources; of the others, only the one that the newest fix came from stays.
  func register(_ feeds: [SourceFeed], newest: PublishedFix?) {
    sources.removeAll { known in known.id != newest?.source || feeds.contains { $0.id == known.id } }
    for feed in feeds { sources.append(Source(id: feed.id, name: feed.name, device: feed.uri.device)) }
  }

  /// One whole `TPV` line; `age` in seconds only for a fix that is repeated.
  func encode(_ fix: PublishedFix, reason: DeliveryReason, age: Double? = nil) -> ByteBuffer {
    if let body, body.seq == fix.seq {
      line.truncate(to: body.length)
    } else {
      line.removeAll()
      TPV.body(fix.fix, device: device(of: fix), into: &line)
      body = (fix.seq, line.count)
    }
    TPV.finish(&line, fix, reason: reason.rawValue, age: age, source: name(of: fix))
    return ByteBuffer(bytes: line.bytes)
  }

  /// The name of the source of a fix.
  func name(of fix: PublishedFix) -> String? {
    source(of: fix)?.name
  }

  /// The path of the device of a fix.
  func device(of fix: PublishedFix) -> String? {
    source(of: fix)?.device
  }

  private func source(of fix: PublishedFix) -> Source? {
    sources.first { $0.id == fix.source }
  }
}

/// The lines of one published fix, encoded once for each reason and shared by every subscriber that gets them.
final class FixLines {
  private let encoder: FixEncoder
  /// The `GST` line of the same epoch, if it had one: it goes where the fix goes.
  private let noise: ByteBuffer?
  /// The `SKY` line of the same epoch, if one is due: it goes to every subscriber, moved or not.
  let sky: ByteBuffer?
  /// What the first subscriber got; nearly always all others get the same.
  private var first: (reason: DeliveryReason, lines: ByteBuffer)?
  private var others: [(reason: DeliveryReason, lines: ByteBuffer)] = []

  init(noise: ByteBuffer? = nil, sky: ByteBuffer? = nil, encoder: FixEncoder) {
    self.noise = noise
    self.sky = sky
    self.encoder = encoder
  }

  /// The fix, the same in every call, as delivered for `reason`, and what goes with it, as whole lines.
  func lines(of fix: PublishedFix, for reason: DeliveryReason) -> ByteBuffer {
    if let first, first.reason == reason { return first.lines }
    if let known = others.first(where: { $0.reason == reason }) { return known.lines }
    var lines = encoder.encode(fix, reason: reason)
    if let noise { lines.writeImmutableBuffer(noise) }
    if let sky { lines.writeImmutableBuffer(sky) }
    if first == nil { first = (reason, lines) } else { others.append((reason, lines)) }
    return lines
  }
}
