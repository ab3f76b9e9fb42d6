/// The mode letters of GNS, one per system in the order GPS, GLONASS, Galileo, BeiDou, QZSS, NavIC.
package struct PositioningModes: Hashable, Sendable {
  /// The letters as received, at most 6; absent ones are 0.
  package var letters: [6 of UInt8]
  /// How many letters the sentence carries.
  package var count: Int

  package init() {
    letters = .init(repeating: 0)
    count = 0
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.count == right.count && left.letters.indices.allSatisfy { left.letters[$0] == right.letters[$0] }
  }

  package func hash(into hasher: inout Hasher) {
    for index in letters.indices { hasher.combine(letters[index]) }
  }
}
