// Reloading the configuration; no client is disconnected.
extension Daemon {
  func apply(_ wanted: DaemonConfiguration) {
    let old = configuration
    let (new, kept) = old.applicable(wanted)
    for key in kept {
      log.warning(
        "\(key.rawValue) takes effect at the next start: systemctl restart handlebard", metadata: ["REASON": "restart"])
    }
    configuration = new
    threshold.level = new.logLevel
    engineLoop.apply(driftLimit: new.driftLimit, latency: new.latency, rideStop: new.rideStop)
    if new.wheelCircumference != old.wheelCircumference {
      engineLoop.engine.desk.knownWheels.given = new.wheelCircumference
    }
    server.apply(new)
    time.send(to: new.chronySocketPath)
    let hasOtherSources = new.sources != old.sources
    let recordsAnew = new.recordsFromStart && (!old.recordsFromStart || old.recordDirectory == nil)
    let recordsOtherwise = recordsAnew || new.recordDirectory != old.recordDirectory || new.ridePolicy != old.ridePolicy
    // A recording names its sources in its header. A recording started or ended by a client keeps that state.
    if hasOtherSources || recordsOtherwise { replaceRecorder(recording: recordsAnew || isRecordingWanted) }
    if hasOtherSources { rearrangeSources() }
    if new.sensors != old.sensors { rearrangeSensors() }
    log.notice(new == old ? "configuration reloaded, nothing to change" : "configuration taken over")
  }

  private var isRecordingWanted: Bool { rides.recorder?.isWanted ?? rides.recordsNext ?? false }

  /// Replaces the recorder once the old one has written everything to disk; does not block the loop.
  private func replaceRecorder(recording: Bool) {
    guard let recorder = rides.recorder ?? retiring else { return startNextRecorder(recording: recording) }
    rides.recordsNext = recording
    guard retiring == nil else { return }
    rides.recorder = nil
    retiring = recorder
    recorder.retire { [weak self] in
      guard let self, !self.isStopping else { return }
      let recording = self.rides.recordsNext ?? false
      self.retiring = nil
      self.rides.recordsNext = nil
      self.startNextRecorder(recording: recording)
    }
  }

  private func startNextRecorder(recording: Bool) {
    startRecorder(recording: recording)
    // One that records reports that itself.
    if rides.recorder?.isWanted != true { server.recordingDidChange() }
  }

  private func rearrangeSources() {
    remove(sources.removed(by: configuration.sources))
    let added = engineLoop.rearrange(configuration.sources)
    server.sourcesDidChange()
    add(added)
  }

  private func rearrangeSensors() {
    remove(server.sensors.removed(by: configuration.sensors))
    let (all, added) = server.sensors.arranged(configuration.sensors)
    server.sensors.replace(by: all)
    engineLoop.hasSensors = !all.isEmpty
    add(added)
  }

  private func remove(_ sources: [ConfiguredSource]) {
    for source in sources {
      log.info("source removed", metadata: ["SOURCE": "\(source.name)", "DEVICE": "\(source.device)"])
      source.transport?.stop()
    }
  }

  private func add(_ sources: [ConfiguredSource]) {
    for source in sources {
      log.info("source added", metadata: ["SOURCE": "\(source.name)", "DEVICE": "\(source.device)"])
      source.transport = makeTransport(of: source)
    }
    for source in sources { source.transport?.start() }
  }
}

extension DaemonConfiguration {
  /// `wanted` without the settings that need a restart, and their keys.
  func applicable(_ wanted: DaemonConfiguration) -> (configuration: DaemonConfiguration, kept: [ConfigurationKey]) {
    var (applicable, kept) = (wanted, [ConfigurationKey]())
    func keep<Value: Equatable>(_ key: ConfigurationKey, _ path: WritableKeyPath<DaemonConfiguration, Value>) {
      guard wanted[keyPath: path] != self[keyPath: path] else { return }
      applicable[keyPath: path] = self[keyPath: path]
      kept.append(key)
    }
    keep(.socket, \.socketPath)
    keep(.socketMode, \.socketMode)
    keep(.socketGroup, \.socketGroup)
    keep(.nmeaSocket, \.nmeaSocketPath)
    keep(.tcp, \.tcpAddresses)
    // Meant for other addresses, it could let every machine control the daemon.
    if wanted.tcpAddresses != tcpAddresses, wanted.tcpControl == true { keep(.tcpControl, \.tcpControl) }
    keep(.state, \.stateDirectory)
    // A recording, or a simulation at another rate, has its own clock, and no sensors beside it.
    if hasOwnTime || wanted.hasOwnTime, wanted.sources != sources || wanted.sensors != sensors {
      (applicable.sources, applicable.sensors) = (sources, sensors)
      kept.append(.sources)
    }
    return (applicable, kept)
  }

  /// Whether a source is a recording, or a simulation at a rate other than 1.
  private var hasOwnTime: Bool {
    sources.contains { source in
      source.kind is RecordingOptions || source.kind.pace ?? .times(1) != .times(1)
    }
  }
}
