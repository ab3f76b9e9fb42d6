/// Whether the rider moves. Times are seconds of the ride.
enum Moving: Hashable, Sendable {
  /// It stands, since then.
  case standing(since: Double)
  /// It stands since `since` and was fast at `seen`: it starts if that lasts.
  case starting(seen: Double, since: Double)
  /// It moves.
  case moving
  /// It moves, and was slow first at `slow`: it stopped if that lasts. The fix before that was at `seen`.
  case stopping(seen: Double, slow: Double)
}
