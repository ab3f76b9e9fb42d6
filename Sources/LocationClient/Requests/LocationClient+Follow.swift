import GPSDProtocol

extension LocationClient {
  /// Whether a view follows the rider.
  public func follow(view: String = "main") async throws(LocationClientError) -> FollowReport {
    try await follow(view, after: [])
  }

  /// Lets a view follow the rider again, or lets go of it.
  public func setFollowing(_ enable: Bool, view: String = "main") async throws(LocationClientError) -> FollowReport {
    try await follow(view, after: [.setFollow(view: view, enable: enable)])
  }

  /// Says once where a view stands, and returns what became of it. A renderer reports through its subscription instead
  /// (`LocationUpdates.report`), which also tells the daemon that the view lives.
  public func report(_ view: ViewRequest) async throws(LocationClientError) -> FollowReport {
    try await follow(view.view, after: [.view(view)])
  }

  private func follow(_ view: String, after requests: [Request]) async throws(LocationClientError) -> FollowReport {
    let replies = try await exchange(requests + [.follow(view: view)])
    for case .follow(let report) in replies.reversed().map(\.report) where report.view == view { return report }
    throw .protocolViolation("FOLLOW was not answered")
  }
}
