/// What a judge says about a fix.
package enum FixVerdict: Hashable, Sendable {
  /// The fix stands. `suspect` when it was first held for an implausible jump.
  case accepted(suspect: Bool)
  /// The fix implies an implausible jump. The judge keeps it and hands it out later, or drops it.
  case held
  /// The fix is refused.
  case dropped(FixRejection)
}
