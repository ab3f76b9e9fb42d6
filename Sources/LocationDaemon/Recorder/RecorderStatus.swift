import Recordings

/// How the recording stands.
struct RecorderStatus: Sendable {
  /// The raw values are the protocol's.
  enum State: String, Sendable {
    /// Asked for; the disk has not answered yet.
    case starting
    case recording
    /// Not asked for.
    case stopped
    /// It cannot be done for now; tried again by itself.
    case failed
  }

  var state = State.stopped
  /// The file in progress, and the name of its ride.
  var path: String?
  var ride: String?
  /// Why it failed.
  var failure: String?
  var isDiskFull = false
  /// What is to be said besides, a line each.
  var notices: [String] = []
  /// Of the ride so far.
  var figures: RideFigures?
  /// Bytes written by all recordings since the start of the daemon.
  var bytesWritten = 0
  /// Bytes in memory that wait for the disk.
  var waitingBytes = 0
  /// Reads and events that a disk that does not keep up made impossible to record.
  var droppedReads = 0
}
