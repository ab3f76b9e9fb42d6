import GPSDProtocol
import LocationCore

/// What clients are told of the recording, and what they may do with it.
extension Publisher {
  func record(_ request: RecordRequest?, from session: Session) {
    guard let request else { return tellRecording(to: session) }
    guard let recorder = pipeline.recorder else {
      return refuse(
        "RECORD", "no directory to record into is configured; start handlebard with --record DIR", to: session)
    }
    if let directory = request.directory, !recorder.isDirectory(directory) {
      return refuse(
        "RECORD", "this daemon records into \(recorder.directory) only, as it is configured; leave the directory out",
        to: session)
    }
    // How it went is told when the disk has answered.
    if request.enable { recorder.start() } else { recorder.end() }
    tellRecording(to: session)
  }

  private func tellRecording(to session: Session) {
    session.send(line { recordReport().write(into: &$0) })
  }

  /// The recording began, ended, or failed.
  func recordingDidChange() {
    pipeline.turn { _, _ in audience.broadcast(line { recordReport().write(into: &$0) }) }
  }

  private func recordReport() -> RecordReport {
    guard let recorder = pipeline.recorder else { return RecordReport(state: "off") }
    let status = recorder.status
    var report = RecordReport(state: status.state.rawValue)
    report.directory = recorder.directory
    report.bytes = status.bytesWritten
    report.error = status.failure
    guard status.state == .recording else { return report }
    report.ride = status.ride
    report.file = status.path
    guard let figures = status.figures, figures.fixes > 0 else { return report }
    report.start = figures.start
    report.duration = figures.duration
    report.movingTime = figures.movingTime
    report.distance = figures.distance
    report.ascent = figures.ascent
    report.maxSpeed = figures.maximumSpeed
    report.averageSpeed = figures.averageSpeed
    report.fixes = figures.fixes
    report.gaps = figures.gaps
    return report
  }
}
