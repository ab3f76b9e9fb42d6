/// The satellites that a GSA sentence names as used, without its empty slots.
package struct GSASatellites: Hashable, Sendable {
  /// The numbers as received; only the first `count` mean something.
  package var numbers: [24 of UInt16]
  /// How many there are.
  package var count: Int {
    get { Int(storedCount) }
    set { storedCount = UInt8(clamping: newValue) }
  }

  private var storedCount: UInt8

  package init() {
    numbers = .init(repeating: 0)
    storedCount = 0
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.count == right.count && (0..<left.count).allSatisfy { left.numbers[$0] == right.numbers[$0] }
  }

  package func hash(into hasher: inout Hasher) {
    for index in 0..<count { hasher.combine(numbers[index]) }
  }
}
