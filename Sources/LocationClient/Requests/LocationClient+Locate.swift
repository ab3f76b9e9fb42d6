import GPSDProtocol
import LocationCore

extension LocationClient {
  /// One position, at most `maxAge` old. Ends with `timedOut` and the last known position when there is none within `timeout`.
  public func locate(
    timeout: Duration = .seconds(10), maxAge: Duration = .seconds(2)
  ) async throws(LocationClientError) -> Position {
    try await locateReply(timeout: timeout, maxAge: maxAge).position
  }

  /// The same with the line that it came in.
  package func locateReply(
    timeout: Duration, maxAge: Duration
  ) async throws(LocationClientError) -> (position: Position, line: [UInt8]) {
    let request = LocateRequest(timeout: timeout.inSeconds, maxAge: maxAge.inSeconds)
    // The daemon keeps the time; this side only notices a daemon that does not.
    for reply in try await exchange([.locate(request)], until: .position, within: timeout + .seconds(2)) {
      if case .tpv(let tpv) = reply.report, let position = Position(tpv) { return (position, reply.line) }
    }
    throw .protocolViolation("LOCATE was answered without a position")
  }
}
