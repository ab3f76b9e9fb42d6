/// The satellites of a PUBX,03 sentence, as many as a line of bounded length can hold of them.
package struct PUBXSatellites: Hashable, Sendable {
  /// The satellites; only the first `count` mean something.
  package private(set) var elements: [16 of PUBXSatellite]
  /// How many there are.
  package private(set) var count: Int

  package static func == (left: Self, right: Self) -> Bool {
    left.count == right.count && (0..<left.count).allSatisfy { left.elements[$0] == right.elements[$0] }
  }

  package func hash(into hasher: inout Hasher) {
    for index in 0..<count { hasher.combine(elements[index]) }
  }
}

extension PUBXSatellites {
  /// Reads groups of six fields; what does not fit is noted as a problem.
  init(_ field: inout FieldCursor) {
    elements = .init(repeating: PUBXSatellite())
    count = 0
    while field.left >= 6 {
      guard count < elements.count else {
        field.noteSurplus()
        return
      }
      let satellite = PUBXSatellite(&field)
      guard satellite.number != nil else { continue }
      elements[count] = satellite
      count += 1
    }
  }
}
