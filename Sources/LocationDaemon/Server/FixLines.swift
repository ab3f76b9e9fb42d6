import GPSDProtocol
import LocationCore
import NIOCore

/// The lines of the newest fix: written once for each reason and shared by all subscribers.
final class FixLines {
  private struct Source {
    let number: Int32
    let name: String
    let device: String
  }

  /// Name and device of each source. There are few: a linear search is faster than a hash.
  private var sources: [Source] = []
  private var scratch = JSONLine()
  private var fix: PublishedFix?
  /// The `GST` line of the same epoch, if any; sent along with the fix.
  private var noise: ByteBuffer?
  /// The `SKY` line of the same epoch, if due; sent to every subscriber that reads it, moved or not.
  private(set) var sky: ByteBuffer?
  /// The lines by reason and with or without `SKY`, nearly always of one.
  private var written: [(reason: DeliveryReason, hasSky: Bool, lines: ByteBuffer)] = []

  /// Registers the current sources; of the others, only the source of the newest fix is kept.
  func register(_ all: [ConfiguredSource], newest: PublishedFix?) {
    sources.removeAll { known in
      known.number != newest?.source.configured || all.contains { $0.id.configured == known.number }
    }
    sources += all.map { Source(number: $0.id.configured, name: $0.name, device: $0.device) }
  }

  func begin(_ fix: PublishedFix, noise: ByteBuffer?, sky: ByteBuffer?) {
    self.fix = fix
    self.noise = noise
    self.sky = sky
    written.removeAll(keepingCapacity: true)
  }

  func lines(for reason: DeliveryReason, hasSky: Bool) -> ByteBuffer {
    if let known = written.first(where: { $0.reason == reason && $0.hasSky == hasSky }) { return known.lines }
    guard let fix else { return ByteBuffer() }
    var lines = line(of: fix, for: reason)
    if let noise { lines.writeImmutableBuffer(noise) }
    if hasSky, let sky { lines.writeImmutableBuffer(sky) }
    written.append((reason, hasSky, lines))
    return lines
  }

  /// The `TPV` of a fix or, without a reason, of an estimate; `age` in seconds, for a repeated fix.
  func line(of fix: PublishedFix, for reason: DeliveryReason?, age: Double? = nil) -> ByteBuffer {
    let source = source(of: fix)
    scratch.removeAll()
    TPV.body(fix.fix, device: source?.device, into: &scratch)
    TPV.finish(&scratch, fix, reason: reason, age: age, source: source?.name)
    return ByteBuffer(bytes: scratch.bytes)
  }

  func name(of fix: PublishedFix) -> String? { source(of: fix)?.name }
  func device(of fix: PublishedFix) -> String? { source(of: fix)?.device }
  private func source(of fix: PublishedFix) -> Source? { sources.first { $0.number == fix.source.configured } }
}
