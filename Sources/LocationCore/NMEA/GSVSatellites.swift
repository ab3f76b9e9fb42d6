/// The satellites of one GSV part, four at most.
package struct GSVSatellites: Hashable, Sendable {
  /// The satellites; only the first `count` mean something.
  package var elements: [4 of GSVSatellite]
  /// How many there are.
  package var count: Int {
    get { Int(storedCount) }
    set { storedCount = UInt8(clamping: newValue) }
  }

  private var storedCount: UInt8

  /// Most of them.
  static let bound = 4

  package init() {
    elements = .init(repeating: GSVSatellite())
    storedCount = 0
  }

  /// Takes one more, unless it is full.
  @inline(__always)
  mutating func append(_ satellite: GSVSatellite) {
    guard count < Self.bound else { return }
    elements[count] = satellite
    storedCount &+= 1
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.count == right.count && (0..<left.count).allSatisfy { left.elements[$0] == right.elements[$0] }
  }

  package func hash(into hasher: inout Hasher) {
    for index in 0..<count { hasher.combine(elements[index]) }
  }
}
