import GPSDProtocol
import LocationCore

extension LocationClient {
  /// One position, at most `maxAge` old. Ends with `timedOut` and the last known position when there is none within `timeout`.
  public func locate(
    timeout: Duration = .seconds(10), maxAge: Duration = .seconds(2)
  ) async throws(LocationClientError) -> Position {
    let request = LocateRequest(timeout: timeout.inSeconds, maxAge: maxAge.inSeconds)
    // The daemon keeps the time; this side only notices a daemon that does not.
    let replies = try await exchange([.locate(request)], until: .position, within: timeout + .seconds(2))
    for case .tpv(let report) in replies {
      if let position = Position(report) { return position }
    }
    throw .protocolViolation("LOCATE was answered without a position")
  }
}
