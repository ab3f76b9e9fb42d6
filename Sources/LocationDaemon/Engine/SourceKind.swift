import GPSDProtocol
import LocationCore

/// The options of a source, which its URI states: what is known of it before it runs, and how it is made.
package protocol SourceKind: Hashable, Sendable {
  /// The scheme of its URI, and its name in reports.
  var scheme: String { get }
  /// Name of the device in reports: a path, or the URI without parameters.
  var device: String { get }
  /// Policy for sentences without a checksum, until a recording states its own.
  var checksums: ChecksumPolicy { get }
  /// Whether dates that lie a multiple of 1024 weeks in the past are moved forward.
  var snapsRollover: Bool { get }
  var form: SourceSetup.Form { get }
  /// Whether it is a receiver, now.
  var isLive: Bool { get }
  var isSensor: Bool { get }
  /// How fast a recording plays; `nil` for live sources.
  var pace: PlaybackSpeed? { get }
  var startsWithSubscriber: Bool { get }
  /// The configured speed of a serial line, bit/s; `nil` detects it, or there is none.
  var lineSpeed: Int? { get }

  func source(_ inlet: SourceInlet, in workshop: SourceWorkshop) -> any ReceiverSource
}

extension SourceKind {
  package var checksums: ChecksumPolicy { .require }
  package var snapsRollover: Bool { false }
  package var form: SourceSetup.Form { .sentences }
  package var isLive: Bool { true }
  package var isSensor: Bool { false }
  package var pace: PlaybackSpeed? { nil }
  package var startsWithSubscriber: Bool { false }
  package var lineSpeed: Int? { nil }
}

package struct SourceURI: Hashable, Sendable {
  package let kind: any SourceKind

  package init(_ kind: any SourceKind) { self.kind = kind }

  package var device: String { kind.device }
  package var scheme: String { kind.scheme }

  package static func == (left: Self, right: Self) -> Bool { AnyHashable(left.kind) == AnyHashable(right.kind) }
  package func hash(into hasher: inout Hasher) { hasher.combine(kind) }
}

package struct SourceWorkshop {
  package var memory = ReceiverMemory()
  package var serialLines: SerialLines
}

/// What survives the daemon, for a receiver's quick start.
package struct ReceiverMemory {
  var state: StateDirectory?
  /// The newest position of a receiver, of this or an earlier run.
  var lastKnown: () -> LastKnown? = { nil }
  let boot = BootID.current

  package init() {}
}

/// The daemon's own serial sources, if they explain why a gpsd has no receiver.
package struct SerialLines {
  /// The name of the source that reads the device at a path, whatever it is called there; `nil` if there is none.
  let reading: (String) -> String?
  /// The name of a source whose device is open; `nil` if there is none.
  let open: () -> String?
}

/// Any source with `enabled=false`: of its kind it has the names alone.
package struct DisabledOptions: SourceKind {
  let off: SourceURI

  package var scheme: String { off.scheme }
  package var device: String { off.device }
  package var isSensor: Bool { off.kind.isSensor }

  package func source(_ inlet: SourceInlet, in workshop: SourceWorkshop) -> any ReceiverSource {
    DisabledSource(inlet)
  }
}

final class DisabledSource: ReceiverSource {
  private let inlet: SourceInlet

  init(_ inlet: SourceInlet) { self.inlet = inlet }

  func start() {
    let error = SourceError.disabled(source: inlet.source.device, by: .configuration(key: "enabled=false"))
    inlet.note(.opening)
    inlet.note(.failed(error))
    inlet.source.sensor = (.failed, error)
  }

  func stop() {}
}
