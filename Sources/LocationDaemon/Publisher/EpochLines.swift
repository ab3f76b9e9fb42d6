import GPSDProtocol
import LocationCore
import NIOCore

/// The lines of one published fix, encoded once for each reason and shared by every subscriber that gets them.
final class EpochLines {
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
