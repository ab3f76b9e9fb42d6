import LocationCore
import Logging

// Reloading the configuration; no client is disconnected.
extension Daemon {
  func apply(_ wanted: DaemonConfiguration) {
    let old = configuration
    let new = applicable(wanted)
    configuration = new
    threshold.level = new.logLevel
    server.apply(new)
    host.sendTime(to: new.chronySocketPath)
    // The limit was validated with the configuration.
    try? host.engine.setDriftLimit(new.driftLimit)
    let hasOtherSources = new.sources != old.sources
    let recordsAnew = new.recordsFromStart && (!old.recordsFromStart || old.recordDirectory == nil)
    let recordsOtherwise =
      recordsAnew || new.recordDirectory != old.recordDirectory || new.ridePolicy != old.ridePolicy
    // A recording names its sources in its header. A recording started or ended by a client keeps that state.
    if hasOtherSources || recordsOtherwise { replaceRecorder(recording: recordsAnew || isRecordingWanted) }
    if hasOtherSources { rearrangeSources() }
    log.notice(new == old ? "configuration reloaded, nothing to change" : "configuration taken over")
  }

  private var isRecordingWanted: Bool { host.recorder?.isWanted ?? recordsAfterRetirement ?? false }

  /// Replaces the recorder once the old one has written everything to disk; does not block the loop.
  private func replaceRecorder(recording: Bool) {
    if retiring != nil {
      recordsAfterRetirement = recording
      return
    }
    guard let recorder = host.recorder else { return startRecorder(recording: recording) }
    host.recorder = nil
    retiring = recorder
    recordsAfterRetirement = recording
    recorder.retire { [weak self] in
      guard let self, !self.isStopping else { return }
      let recording = self.recordsAfterRetirement ?? false
      self.retiring = nil
      self.recordsAfterRetirement = nil
      self.startRecorder(recording: recording)
    }
  }

  private func rearrangeSources() {
    for feed in host.feedsRemoved(by: configuration.sources) {
      log.info("source removed", metadata: ["SOURCE": "\(feed.name)", "DEVICE": "\(feed.uri.device)"])
      feed.source?.stop()
    }
    let added = host.rearrange(configuration.sources)
    for feed in added {
      log.info("source added", metadata: ["SOURCE": "\(feed.name)", "DEVICE": "\(feed.uri.device)"])
      feed.source = makeSource(for: feed)
    }
    server.sourcesDidChange()
    for feed in added { feed.source?.start() }
  }

  /// `wanted` without the settings that need a restart; logs a warning for each of them.
  private func applicable(_ wanted: DaemonConfiguration) -> DaemonConfiguration {
    var applicable = wanted
    func keep<Value: Equatable>(_ key: ConfigurationKey, _ path: WritableKeyPath<DaemonConfiguration, Value>) {
      guard wanted[keyPath: path] != configuration[keyPath: path] else { return }
      applicable[keyPath: path] = configuration[keyPath: path]
      log.warning(
        "\(key.rawValue) takes effect at the next start: systemctl restart handlebard", metadata: ["REASON": "restart"])
    }
    keep(.socket, \.socketPath)
    keep(.socketMode, \.socketMode)
    keep(.socketGroup, \.socketGroup)
    keep(.nmeaSocket, \.nmeaSocketPath)
    keep(.tcp, \.tcpAddresses)
    // A recording, or a simulation at another rate, has its own clock.
    if configuration.hasOwnTime || wanted.hasOwnTime { keep(.sources, \.sources) }
    return applicable
  }
}

extension DaemonConfiguration {
  /// Whether a source is a recording, or a simulation at a rate other than 1.
  fileprivate var hasOwnTime: Bool {
    sources.contains { source in
      switch source {
      case .recording: true
      case .simulation(let options): options.rate != 1
      case .serial, .gpsd, .tcp, .udp, .disabled: false
      }
    }
  }
}
