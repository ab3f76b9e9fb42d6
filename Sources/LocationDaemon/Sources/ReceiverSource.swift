import LocationCore
import NIOCore

/// A source of receiver data: a serial line, a gpsd, the network, a recording. All calls come from one event loop.
package protocol ReceiverSource: AnyObject {
  /// Starts to read; errors are reported to the sink and retried until `stop()`.
  func start()
  /// Stops for good and releases all resources.
  func stop()
  /// Counters of the link.
  var link: LinkCounters { get }
  /// Speed of a serial line, bit/s; `nil` for other sources.
  var lineSpeed: Int? { get }
  /// The share of a serial line's speed that is used, 0 to 1; `nil` where that means nothing, or until it is known.
  var lineLoad: Double? { get }
  /// Playback controls; `nil` for live sources.
  var player: (any PlaybackPlayer)? { get }
  /// The set-up of the receiver; `nil` unless the source asks for it.
  var receiverSetup: SerialSetup? { get }
  /// Starts to set up the receiver, or only to read its settings. Returns whether that is possible now.
  func setUpReceiver(applies: Bool) -> Bool
}

extension ReceiverSource {
  package var link: LinkCounters { LinkCounters() }
  package var lineSpeed: Int? { nil }
  package var lineLoad: Double? { nil }
  package var player: (any PlaybackPlayer)? { nil }
  package var receiverSetup: SerialSetup? { nil }
  package func setUpReceiver(applies: Bool) -> Bool { false }
}

/// The receiver of a source's data and events, all on the source's event loop.
package protocol ReceiverSink: AnyObject {
  /// The source is about to open its device.
  func sourceIsOpening()
  /// The device is open.
  func sourceDidOpen()
  /// The bytes of one read, with their time in host time.
  func sourceDidReceive(_ bytes: ByteBuffer, at instant: MonotonicInstant)
  /// A gpsd report, with its line without the line end.
  func sourceDidReport(_ report: GPSDReport, line: ArraySlice<UInt8>, at instant: MonotonicInstant)
  /// A sentence from a gpsd, with its line end; it is only passed through.
  func sourceDidPass(sentence: ByteBuffer)
  /// The device cannot be opened or sends no usable data.
  func sourceDidFail(_ error: SourceError)
  /// The device was lost and may return.
  func sourceDidLose(_ error: SourceError)
  /// The source has ended: a recording is over.
  func sourceDidEnd(at instant: MonotonicInstant)
  /// Number of valid sentences and of bytes so far, for speed detection.
  var received: (sentences: UInt64, bytes: UInt64) { get }
  /// Whether a client reads the sentences of this source.
  var wantsSentences: Bool { get }
  /// The name of the serial source that reads the device at `path`, whatever it is called there; `nil` if there is none.
  func serialSource(of path: String) -> String?
  /// The name of a serial source whose device is open; `nil` if there is none.
  var openSerialSource: String? { get }
}

/// Counters of a source's link.
package struct LinkCounters: Hashable, Sendable {
  /// Connections established.
  package var connections: UInt64 = 0
  /// Valid gpsd reports of all supported classes.
  package var reports: UInt64 = 0
  /// Lines that libgps rejected.
  package var malformed: UInt64 = 0
  /// Lines dropped for their length.
  package var overlong: UInt64 = 0
  /// Reports of unsupported classes.
  package var unknown: UInt64 = 0
  /// Members of reports skipped because they are unexpected objects.
  package var nested: UInt64 = 0
  /// ERROR reports from gpsd.
  package var errors: UInt64 = 0

  package init() {}

  static func + (left: LinkCounters, right: LinkCounters) -> LinkCounters {
    var sum = left
    sum.connections &+= right.connections
    sum.reports &+= right.reports
    sum.malformed &+= right.malformed
    sum.overlong &+= right.overlong
    sum.unknown &+= right.unknown
    sum.nested &+= right.nested
    sum.errors &+= right.errors
    return sum
  }
}

/// A source with `enabled=false`: reports that it is disabled.
final class DisabledSource: ReceiverSource {
  private let device: String
  private weak var sink: SourceFeed?

  init(_ device: String, sink: SourceFeed) {
    self.device = device
    self.sink = sink
  }

  func start() {
    sink?.sourceIsOpening()
    sink?.sourceDidFail(.disabled(source: device, by: .configuration(key: "enabled=false")))
  }

  func stop() {}
}
