/// The twelve residual slots of a GRS sentence.
package struct GRSResiduals: Hashable, Sendable {
  private var stored: [12 of Thousandths]

  /// How many slots there are.
  package static let count = 12

  /// Metres, to the millimetre; `nil` in an empty slot.
  package subscript(slot: Int) -> Double? { stored[slot].value }

  package static func == (left: Self, right: Self) -> Bool {
    left.stored.indices.allSatisfy { left.stored[$0] == right.stored[$0] }
  }

  package func hash(into hasher: inout Hasher) {
    for index in stored.indices { hasher.combine(stored[index]) }
  }
}

extension GRSResiduals {
  init(_ field: inout FieldCursor) {
    stored = .init(repeating: .none)
    for index in stored.indices { stored[index] = Thousandths(field.signed(upTo: Thousandths.limit)) }
  }
}
