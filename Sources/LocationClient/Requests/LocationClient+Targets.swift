import GPSDProtocol
import LocationCore

extension LocationClient {
  /// Watches for arrival within `radius` metres of a place; the same name again replaces the target. Returns how it stands, once that is known.
  @discardableResult
  public func setTarget(
    _ name: String, at position: Coordinate, radius: Double? = nil
  ) async throws(LocationClientError) -> ArrivalReport? {
    let target = TargetRequest(name: name, position: position, radius: radius)
    return try await arrivals(after: .setTarget(target)).last { $0.name == name }
  }

  /// Watches a target no longer.
  public func removeTarget(_ name: String) async throws(LocationClientError) {
    _ = try await arrivals(after: .removeTarget(name: name))
  }

  /// How every target stands.
  public func targets() async throws(LocationClientError) -> [ArrivalReport] {
    do {
      return try await arrivals(after: .targets)
    } catch .remote(let report) where report.code == "noTarget" {
      return []
    }
  }

  private func arrivals(after request: Request) async throws(LocationClientError) -> [ArrivalReport] {
    try await exchange([request]).compactMap { if case .arrival(let report) = $0.report { report } else { nil } }
  }
}
