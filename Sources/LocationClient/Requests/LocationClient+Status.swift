import GPSDProtocol

extension LocationClient {
  /// Health and counters of the daemon.
  public func status() async throws(LocationClientError) -> StatusReport {
    try await statusReply().report
  }

  /// The same with the line that it came in.
  package func statusReply() async throws(LocationClientError) -> (report: StatusReport, line: [UInt8]) {
    for reply in try await exchange([.status]) {
      if case .status(let report) = reply.report { return (report, reply.line) }
    }
    throw .protocolViolation("STATUS was not answered")
  }

  /// The newest fix and sky of the leading source.
  package func poll() async throws(LocationClientError) -> POLL {
    for case .poll(let report) in try await exchange([.poll]).map(\.report) { return report }
    throw .protocolViolation("POLL was not answered")
  }

  /// The sources in the configured order.
  public func devices() async throws(LocationClientError) -> [DeviceReport] {
    for case .devices(let report) in try await exchange([.devices]).map(\.report) { return report.devices }
    throw .protocolViolation("DEVICES was not answered")
  }

  /// Changes how a recording plays that stands in for the receiver, or only asks when nothing is given: times real time
  /// (0.1 to 1000, or `.max`), seconds from its start. Every subscriber hears of it as an `Update.playback`. Fails with
  /// `remote` when the source is no recording.
  @discardableResult
  public func playback(
    pause: Bool? = nil, speed: PlaybackSpeed? = nil, seek: Double? = nil
  ) async throws(LocationClientError) -> PlaybackReport {
    let change = PlaybackRequest(pause: pause, speed: speed, seek: seek)
    let asksOnly = change == PlaybackRequest()
    let replies = try await exchange([.playback(asksOnly ? nil : change)])
    for case .playback(let report) in replies.reversed().map(\.report) { return report }
    throw .protocolViolation("PLAYBACK was not answered")
  }
}
