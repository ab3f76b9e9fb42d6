import GPSDProtocol

extension LocationClient {
  /// Health and counters of the daemon.
  public func status() async throws(LocationClientError) -> StatusReport {
    for case .status(let report) in try await exchange([.status]) { return report }
    throw .protocolViolation("STATUS was not answered")
  }

  /// The sources in the configured order.
  public func devices() async throws(LocationClientError) -> [DeviceReport] {
    for case .devices(let report) in try await exchange([.devices]) { return report.devices }
    throw .protocolViolation("DEVICES was not answered")
  }

  /// Changes how a recording plays that stands in for the receiver, or only asks when nothing is given: times real time, seconds from its start.
  public func playback(
    pause: Bool? = nil, speed: Double? = nil, seek: Double? = nil
  ) async throws(LocationClientError) -> PlaybackReport {
    let change = PlaybackRequest(pause: pause, speed: speed, seek: seek)
    let asksOnly = change == PlaybackRequest()
    for case .playback(let report) in try await exchange(asksOnly ? [.playback(nil)] : [.playback(change)]).reversed() {
      return report
    }
    throw .protocolViolation("PLAYBACK was not answered")
  }
}
