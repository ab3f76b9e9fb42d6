import GPSDProtocol

extension LocationClient {
  /// How the daemon's recording stands, with the figures of the ride so far.
  public func recording() async throws(LocationClientError) -> RecordReport {
    try await recordingReply().report
  }

  /// Begins or ends recording. The daemon records into the directory that it is configured for and no other: a
  /// `directory` that is given must be that one.
  public func setRecording(
    _ enable: Bool, directory: String? = nil
  ) async throws(LocationClientError) -> RecordReport {
    try await recordingReply(RecordRequest(enable: enable, directory: directory)).report
  }

  /// The same with the line that it came in.
  package func recordingReply(
    _ request: RecordRequest? = nil
  ) async throws(LocationClientError) -> (report: RecordReport, line: [UInt8]) {
    for reply in try await exchange([.record(request)]).reversed() {
      if case .record(let report) = reply.report { return (report, reply.line) }
    }
    throw .protocolViolation("RECORD was not answered")
  }
}
