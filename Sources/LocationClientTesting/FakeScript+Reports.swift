import GPSDProtocol
import LocationCore

/// The answers about the daemon, its sources and recordings: what the test sets, or what follows from what it sent.
extension FakeScript {
  func report(_ request: Request) throws -> String {
    switch request {
    case .devices: return Self.line { DevicesReport(devices: devices).write(into: &$0) }
    case .device(let path):
      guard let device = devices.first(where: { path == nil || path == $0.path }) else {
        throw RequestRefusal.invalid("no such device as \(path ?? "any")")
      }
      return Self.line { device.write(into: &$0) }
    case .poll:
      return Self.line {
        POLL.write(
          time: newest?.fix.fix.measured ?? UTCInstant(nanosecondsSince1970: 0), active: 1, device: device,
          fix: hasFix ? newest?.fix.fix : nil, sky: sky?.sky, into: &$0)
      }
    case .status: return Self.line { status.write(counts: [], into: &$0) }
    case .receiver(let request):
      let receiver = orders.receiver ?? ReceiverReport(source: source, device: device, state: "off")
      guard request?.source == nil || request?.source == receiver.source else {
        throw RequestRefusal.invalid("there is no such source")
      }
      guard request?.action == nil || orders.receiver != nil else {
        throw RequestRefusal.invalid("\(source) does not ask for a set-up")
      }
      return Self.line { receiver.write(into: &$0) }
    case .question(let question):
      let lines = try shared(question)
      return lines.isEmpty ? Self.line { question.nothing.write(into: &$0) } : lines
    // They are answered elsewhere.
    case .version, .watch, .engine, .playback, .record: return ""
    }
  }

  mutating func answer(_ change: RecordRequest?, from client: ClientID) throws -> Answer {
    var record: RecordReport = kept(for: .record(nil)) ?? RecordReport(state: .stopped)
    guard let change else { return Answer(toClient: Self.line { record.write(into: &$0) }) }
    guard record.state != .off else { throw RequestRefusal.invalid("no recording directory is configured") }
    if let directory = change.directory, directory != record.directory {
      throw RequestRefusal.invalid("the configured recording directory is \(record.directory ?? "another one")")
    }
    record.state = change.enable ? .recording : .stopped
    return changed(keep(record, for: .record(nil)), by: client)
  }

  mutating func answer(_ change: PlaybackRequest?, from client: ClientID) throws -> Answer {
    guard var playing: PlaybackReport = kept(for: .playback(nil)) else {
      throw RequestRefusal.invalid("no source is a recording")
    }
    guard let change else { return Answer(toClient: Self.line { playing.write(into: &$0) }) }
    playing.isPaused = change.pause ?? playing.isPaused
    switch change.speed {
    case .times(let multiple)?: playing.speed = multiple
    case .max?: playing.speed = nil
    case nil: break
    }
    if let position = change.seek.flatMap({ Duration(finiteSeconds: $0) }) {
      (playing.position, playing.isEnded) = (min(position, playing.duration ?? position), false)
    }
    return changed(keep(playing, for: .playback(nil)), by: client)
  }

  private var source: String { state?.source ?? newest?.position.source ?? "fake" }
  private var device: String { state?.device ?? newest?.position.device ?? "/dev/fake" }
  private var phase: StateReport.Phase { state?.phase ?? (newest == nil ? .acquiring : .tracking) }
  private var hasFix: Bool { phase == .tracking && newest != nil }
  private var mode: Int? { hasFix ? newest?.position.mode.rawValue : nil }

  private var devices: [DeviceReport] {
    if let devices = orders.devices { return devices }
    var report = DeviceReport(path: device)
    (report.driver, report.source) = ("NMEA0183", source)
    return [report]
  }

  private var status: StatusReport {
    if let status = orders.status { return status }
    var source = SourceReport(source: source, phase: phase)
    (source.device, source.mode) = (device, mode)
    (source.error, source.message, source.remedy) = (state?.error, state?.message, state?.remedy)
    var report = StatusReport(
      release: FakeDaemon.release, uptime: uptime, phase: phase, clients: clientCount, sources: [source])
    (report.mode, report.source, report.seq, report.age) = (mode, source.source, newest?.fix.seq, age)
    return report
  }
}
