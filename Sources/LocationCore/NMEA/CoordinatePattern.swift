/// The numbers of a coordinate, or of none.
package struct CoordinatePattern: Hashable, Sendable {
  let latitude: Double
  let longitude: Double

  package static func == (left: Self, right: Self) -> Bool {
    left.latitude == right.latitude && left.longitude == right.longitude
      || left.latitude.isNaN && right.latitude.isNaN
  }

  package func hash(into hasher: inout Hasher) {
    guard !latitude.isNaN else { return }
    hasher.combine(latitude)
    hasher.combine(longitude)
  }
}
