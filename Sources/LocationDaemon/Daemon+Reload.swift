import LocationCore
import Logging

/// Another configuration while the daemon runs; no client is dropped for it.
extension Daemon {
  func apply(_ wanted: DaemonConfiguration) {
    let old = configuration
    let new = possible(wanted)
    configuration = new
    threshold.level = new.logLevel
    server.apply(new)
    // The limit was checked with the whole.
    try? host.engine.setDriftLimit(new.driftLimit)
    let hasOtherSources = new.sources != old.sources
    let recordsAnew = new.recordsFromStart && (!old.recordsFromStart || old.recordDirectory == nil)
    let recordsOtherwise =
      recordsAnew || new.recordDirectory != old.recordDirectory || new.ridePolicy != old.ridePolicy
    // A recording says at its beginning which sources it is of. What a client began or ended stays so.
    if hasOtherSources || recordsOtherwise { replaceRecorder(recording: recordsAnew || isRecordingWanted) }
    if hasOtherSources { rearrangeSources() }
    log.notice(new == old ? "configuration read again, nothing to change" : "configuration taken over")
  }

  private var isRecordingWanted: Bool { host.recorder?.isWanted ?? recordsAfterRetirement ?? false }

  /// Another recorder, once the one before has brought everything to the disk; the loop does not wait for that.
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
    for feed in host.feedsLeftOut(of: configuration.sources) {
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

  /// What can be taken over of `wanted`; the log names what has to wait for the next start.
  private func possible(_ wanted: DaemonConfiguration) -> DaemonConfiguration {
    var possible = wanted
    func keep<Value: Equatable>(_ key: ConfigurationKey, _ path: WritableKeyPath<DaemonConfiguration, Value>) {
      guard wanted[keyPath: path] != configuration[keyPath: path] else { return }
      possible[keyPath: path] = configuration[keyPath: path]
      log.warning(
        "\(key.rawValue) takes effect at the next start: systemctl restart handlebard", metadata: ["REASON": "restart"])
    }
    keep(.socket, \.socketPath)
    keep(.socketMode, \.socketMode)
    keep(.socketGroup, \.socketGroup)
    keep(.nmeaSocket, \.nmeaSocketPath)
    keep(.tcp, \.tcpAddresses)
    // A recording in the place of a receiver brings its own time along, as does a simulation that runs faster.
    if configuration.hasOwnTime || wanted.hasOwnTime { keep(.sources, \.sources) }
    return possible
  }
}

extension DaemonConfiguration {
  /// Whether a source is a recording, or a simulation at another rate than that of the clock.
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
