/// One connection of a client, numbered in the order of connecting.
package struct SessionID: Hashable, Comparable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) {
    self.number = number
  }

  /// Orders by the time of connecting.
  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}
