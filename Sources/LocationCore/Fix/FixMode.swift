/// How many dimensions a fix has; the raw values are gpsd's `mode`.
public enum FixMode: Int, Hashable, Comparable, Sendable {
  /// Position without a trustworthy altitude.
  case twoD = 2
  /// Position and altitude.
  case threeD = 3

  /// Orders by dimensions.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
