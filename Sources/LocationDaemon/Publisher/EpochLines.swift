import GPSDProtocol
import LocationCore
import NIOCore

/// The lines of one published fix, encoded once for each reason and shared by every subscriber that gets them.
final class EpochLines {
  private let encoder: FixEncoder
  private let fix: PublishedFix
  /// The `GST` line of the same epoch, if it had one: it goes where the fix goes.
  private let noise: ByteBuffer?
  /// The `SKY` line of the same epoch, if one is due: it goes to every subscriber, moved or not.
  let sky: ByteBuffer?
  private var cache: [(reason: DeliveryReason, lines: ByteBuffer)] = []

  init(fix: PublishedFix, noise: ByteBuffer? = nil, sky: ByteBuffer? = nil, encoder: FixEncoder) {
    self.fix = fix
    self.noise = noise
    self.sky = sky
    self.encoder = encoder
  }

  /// The fix as delivered for `reason` and what goes with it, as whole lines.
  func lines(for reason: DeliveryReason) -> ByteBuffer {
    if let known = cache.first(where: { $0.reason == reason }) { return known.lines }
    var lines = encoder.encode(fix, reason: reason)
    if let noise { lines.writeImmutableBuffer(noise) }
    if let sky { lines.writeImmutableBuffer(sky) }
    cache.append((reason, lines))
    return lines
  }
}
