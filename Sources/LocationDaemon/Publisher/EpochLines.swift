import GPSDProtocol
import LocationCore
import NIOCore

/// The lines of one published fix, encoded once for each reason and shared by every subscriber that gets them.
final class EpochLines {
  private let encoder: FixEncoder
  private let fix: PublishedFix
  /// The `SKY` and `GST` lines of the same epoch, if it had any that are due.
  let companions: ByteBuffer?
  private var cache: [(reason: DeliveryReason, lines: ByteBuffer)] = []

  init(fix: PublishedFix, companions: ByteBuffer?, encoder: FixEncoder) {
    self.fix = fix
    self.companions = companions
    self.encoder = encoder
  }

  /// The fix as delivered for `reason`, and its companions, as whole lines.
  func lines(for reason: DeliveryReason) -> ByteBuffer {
    if let known = cache.first(where: { $0.reason == reason }) { return known.lines }
    var lines = encoder.encode(fix, reason: reason)
    if let companions { lines.writeImmutableBuffer(companions) }
    cache.append((reason, lines))
    return lines
  }
}
