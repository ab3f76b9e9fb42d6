import LocationCore
import NIOCore

/// Where a receiver's bytes come in: a serial line, a recording. One event loop owns it and calls it.
package protocol ReceiverSource: AnyObject {
  /// Begins, and goes on until `stop()`: what fails is reported and tried again.
  func start()
  /// Ends for good and gives back what it holds.
  func stop()
  /// Recorded time runs and can be paused and sought; `nil` for a live receiver.
  var playback: (any PlaybackControl)? { get }
}

extension ReceiverSource {
  package var playback: (any PlaybackControl)? { nil }
}

/// What a source tells, on its event loop.
package protocol ReceiverSink: AnyObject {
  /// The source tries to open its device.
  func sourceIsOpening()
  /// The device is open; bytes may come.
  func sourceDidOpen()
  /// Bytes of one read, and when they came in pipeline time.
  func sourceDidReceive(_ bytes: ByteBuffer, at instant: MonotonicInstant)
  /// The device cannot be had, or was lost.
  func sourceDidFail(_ error: SourceError)
  /// The source has nothing more to say: a recording is over.
  func sourceDidEnd()
  /// Sentences with a valid checksum and bytes so far, for finding a line's speed.
  var received: (sentences: UInt64, bytes: UInt64) { get }
  /// A no-sentence condition that the source found: bytes come, but no speed makes them sentences.
  func sourceHearsNoNMEA(bytes: Int, detail: String)
}
