import LocationCore

extension Coordinate {
  /// A place for tests that need any.
  static let munich: Coordinate = {
    guard let place = Coordinate(latitude: 48.1234567891, longitude: 11.5) else { preconditionFailure() }
    return place
  }()
}
