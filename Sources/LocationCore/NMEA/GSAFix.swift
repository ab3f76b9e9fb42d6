/// The navigation mode of GSA.
package enum GSAFix: UInt8, Hashable, Sendable {
  /// 1, no fix.
  case noFix = 1
  /// 2, two-dimensional.
  case twoD = 2
  /// 3, three-dimensional.
  case threeD = 3
}
