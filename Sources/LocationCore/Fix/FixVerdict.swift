package enum FixVerdict: Hashable, Sendable {
  case accepted(FixJump?)
  case held(FixJump)
  case dropped(FixRejection)
}

package enum FixRejection: String, Hashable, Sendable, CaseIterable {
  /// Measured at the same time as the last accepted fix of the same source or one that is held, or in a leap second.
  case duplicate
  /// The position is malformed or outside ± 90° and ± 180°.
  case outOfRange
  /// Exactly 0° N 0° E without an accuracy: a receiver's uninitialized memory.
  case nullIsland
}

/// Running totals of a `FixJudge`'s decisions, and of positions out of range, which do not come to it.
package struct JudgeCounters: Totals {
  /// Accepted fixes, including suspect ones.
  package var accepted: UInt64 = 0
  package var held: UInt64 = 0
  package var clockSteps: UInt64 = 0
  /// Held fixes that were dropped: measured before the last accepted one, or another jump.
  package var outOfOrder: UInt64 = 0
  package var jump: UInt64 = 0
  // Rejected fixes by `FixRejection`.
  package var duplicate: UInt64 = 0
  package var outOfRange: UInt64 = 0
  package var nullIsland: UInt64 = 0

  package var dropped: UInt64 { outOfOrder &+ duplicate &+ outOfRange &+ nullIsland &+ jump }

  mutating func count(_ rejection: FixRejection) {
    switch rejection {
    case .duplicate: duplicate &+= 1
    case .outOfRange: outOfRange &+= 1
    case .nullIsland: nullIsland &+= 1
    }
  }
}

/// A structure of running totals: `UInt64` counts and structures of them, nothing else.
package protocol Totals: Hashable, BitwiseCopyable, Sendable {}

extension Totals {
  package static func + (left: Self, right: Self) -> Self {
    var sum = left
    withUnsafeMutableBytes(of: &sum) { sum in
      withUnsafeBytes(of: right) { right in
        let sum = sum.assumingMemoryBound(to: UInt64.self)
        for (index, count) in right.assumingMemoryBound(to: UInt64.self).enumerated() { sum[index] &+= count }
      }
    }
    return sum
  }
}
