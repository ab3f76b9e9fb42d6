import GPSDProtocol
import LocationCore
import NIOCore

/// An encoder of fixes to `TPV` lines. The body of a fix is written once; a reason only changes the end of the line.
final class FixEncoder {
  private struct Source {
    let id: Int
    let name: String
    let device: String
  }

  /// Name and device of each source. There are few: a linear search is faster than a hash.
  private var sources: [Source] = []
  private var line = JSONLine()
  private var body: (seq: UInt64, length: Int)?

  /// Registers the current sources; of the others, only the source of the newest fix is kept.
  func register(_ feeds: [SourceFeed], newest: PublishedFix?) {
    sources.removeAll { known in known.id != newest?.source || feeds.contains { $0.id == known.id } }
    for feed in feeds { sources.append(Source(id: feed.id, name: feed.name, device: feed.uri.device)) }
  }

  /// A whole `TPV` line; `age` in seconds, only for a repeated fix.
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

/// The lines of one published fix, encoded once per reason and shared by all subscribers.
final class FixLines {
  private let encoder: FixEncoder
  /// The `GST` line of the same epoch, if any; sent along with the fix.
  private let noise: ByteBuffer?
  /// The `SKY` line of the same epoch, if due; sent to every subscriber, moved or not.
  let sky: ByteBuffer?
  /// The lines for the first subscriber; nearly always the same for all others.
  private var first: (reason: DeliveryReason, lines: ByteBuffer)?
  private var others: [(reason: DeliveryReason, lines: ByteBuffer)] = []

  init(noise: ByteBuffer? = nil, sky: ByteBuffer? = nil, encoder: FixEncoder) {
    self.noise = noise
    self.sky = sky
    self.encoder = encoder
  }

  /// The lines of a fix delivered for `reason`. `fix` must be the same in every call.
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
