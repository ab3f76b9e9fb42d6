import LocationCore
import NIOCore

/// A source of receiver data: a serial line, a gpsd, the network, a recording. All calls come from one event loop.
package protocol ReceiverSource: AnyObject {
  /// Starts to read; errors are reported to the inlet and retried until `stop()`.
  func start()
  /// Stops for good and releases all resources.
  func stop()
  /// Stores the navigation database of the receiver, which takes some seconds at most, then stops; calls back at the
  /// end.
  func retire(then done: @escaping () -> Void)
  var link: LinkCounters { get }
  /// Speed of a serial line, bit/s; `nil` for other sources.
  var lineSpeed: Int? { get }
  /// The share of a serial line's speed that is used, 0 to 1; `nil` where that means nothing, or until it is known.
  var lineLoad: Double? { get }
  /// Playback controls; `nil` for live sources.
  var player: RecordingSource? { get }
  /// The set-up of the receiver; `nil` unless the source asks for it.
  var receiverSetup: SerialSetup? { get }
  /// What the quick start of the receiver found and did; `nil` without one.
  var quickStart: QuickStartResult? { get }
  /// Starts to set up the receiver, or only to read its settings. Returns whether that is possible now.
  func setUpReceiver(applies: Bool) -> Bool
}

extension ReceiverSource {
  package var link: LinkCounters { LinkCounters() }
  package var lineSpeed: Int? { nil }
  package var lineLoad: Double? { nil }
  package func retire(then done: @escaping () -> Void) {
    stop()
    done()
  }

  package var quickStart: QuickStartResult? { nil }
  package var player: RecordingSource? { nil }
  package var receiverSetup: SerialSetup? { nil }
  package func setUpReceiver(applies: Bool) -> Bool { false }
}

package struct LinkCounters: Hashable, Sendable {
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
  package var errors: UInt64 = 0
}

/// A source with `enabled=false`: reports that it is disabled.
final class DisabledSource: ReceiverSource {
  private let device: String
  private let inlet: SourceInlet

  init(_ device: String, into inlet: SourceInlet) {
    self.device = device
    self.inlet = inlet
  }

  func start() {
    inlet.note(.opening)
    inlet.note(.failed(.disabled(source: device, by: .configuration(key: "enabled=false"))))
  }

  func stop() {}
}
