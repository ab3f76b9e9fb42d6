import LocationCore
import NIOCore

/// What a source tells, on its event loop.
package protocol ReceiverSink: AnyObject {
  /// The source begins to try to open its device.
  func sourceIsOpening()
  /// The device is open; bytes may come.
  func sourceDidOpen()
  /// Bytes of one read, and when they came in pipeline time.
  func sourceDidReceive(_ bytes: ByteBuffer, at instant: MonotonicInstant)
  /// A report of a gpsd, the line that it came in without its end, and when.
  func sourceDidReport(_ report: GPSDReport, line: ArraySlice<UInt8>, at instant: MonotonicInstant)
  /// A line of a gpsd about something else, without its end: only recorded.
  func sourceDidRead(line: ArraySlice<UInt8>, at instant: MonotonicInstant)
  /// A sentence that came beside the reports of a gpsd, with its line end: only passed through.
  func sourceDidPass(sentence: ByteBuffer)
  /// The device cannot be had, or sends nothing that can be used.
  func sourceDidFail(_ error: SourceError)
  /// The device was unplugged and may come back.
  func sourceDidLose(_ error: SourceError)
  /// The source has nothing more to say: a recording is over.
  func sourceDidEnd(at instant: MonotonicInstant)
  /// Sentences with a valid checksum and bytes so far, for finding a line's speed.
  var received: (sentences: UInt64, bytes: UInt64) { get }
  /// Whether a client wants the sentences of this source.
  var wantsSentences: Bool { get }
  /// The serial source that reads the device at `path` too, whatever it is called there; `nil` when none does.
  func serialSource(of path: String) -> String?
  /// A serial source that holds its device; `nil` when none does.
  var openSerialSource: String? { get }
}
