import LocationCore

/// A source that the configuration names and switches off: it says so, and waits for the configuration to change.
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
