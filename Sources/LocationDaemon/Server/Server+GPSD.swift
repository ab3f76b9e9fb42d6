import GPSDProtocol
import LocationCore
import NIOCore

/// What clients without the additions read besides the fix: gpsd's derived errors, rates and dilutions of precision.
struct GPSDFields {
  private(set) var model = ErrorModel()
  private var source: Int

  /// Starts at the newest values of the leading source.
  init(_ engine: borrowing LocationEngine) {
    source = engine.lead.setup.id
    if let sky = engine.lead.sky { model.take(sky) }
    if engine.hasFix, let newest = engine.newest { _ = model.errors(of: newest.fix) }
  }

  /// Takes the satellites of a source.
  mutating func take(_ sky: borrowing Sky, from source: Int) {
    follow(source)
    model.take(sky)
  }

  /// Takes the next fix and the satellites of its epoch.
  mutating func take(_ fix: borrowing PublishedFix, _ sky: Sky?) {
    follow(fix.source)
    if let sky { model.take(sky) }
    _ = model.errors(of: fix.fix)
  }

  /// The leading source has lost its fix.
  mutating func lost() { model.lost() }

  private mutating func follow(_ source: Int) {
    guard source != self.source else { return }
    self.source = source
    model = ErrorModel()
  }
}

/// The lines of one epoch for clients without the additions, encoded once.
struct GPSDLines {
  /// `TPV`, and `GST` if the receiver sends it.
  var fix: ByteBuffer
  /// `SKY`, if due.
  var sky: ByteBuffer?
}

// What gpsd's own clients receive: gpsd's classes with the fields that gpsd has, and no others.
extension Server {
  /// The lines of a published fix; `nil` when no client without the additions watches.
  func gpsdLines(
    of fix: PublishedFix, _ sky: Sky?, _ noise: PseudorangeNoise?, isSkyDue: Bool, device: String?
  ) -> GPSDLines? {
    guard clients.sessions.contains(where: { $0.subscription?.extensions == false }) else { return nil }
    let errors = gpsdFields?.model.newest
    let position = line { line in
      TPV.body(fix.fix, device: device, errors: errors, into: &line)
      TPV.finish(&line)
      if let noise { GPSDProtocol.GST.write(noise, time: fix.fix.measured, device: device, into: &line) }
    }
    return GPSDLines(fix: position, sky: isSkyDue ? sky.map { gpsdLine(of: $0, device: device) } : nil)
  }

  /// The `SKY` of an epoch.
  func gpsdLine(of sky: Sky, device: String?) -> ByteBuffer {
    line { SKY.write(sky, device: device, dilution: gpsdFields?.model.dilution, into: &$0) }
  }

  /// The line of the newest fix, sent again.
  func gpsdLine(of fix: PublishedFix) -> ByteBuffer {
    let isNewest = host.engine.newest?.seq == fix.seq
    return line { line in
      TPV.body(
        fix.fix, device: fixLines.device(of: fix), errors: isNewest ? gpsdFields?.model.newest : nil, into: &line)
      TPV.finish(&line)
    }
  }

  /// Derives gpsd's fields as long as a client reads them.
  func updateGPSDFields() {
    guard clients.sessions.contains(where: \.readsGPSDFields) else { return gpsdFields = nil }
    if gpsdFields == nil { gpsdFields = GPSDFields(host.engine) }
  }

  /// Reports an epoch of the leading source without a fix by a `TPV` without a position, as gpsd does: these clients do
  /// not support `STATE`.
  func publishNoFix(time: UTCInstant?, source: Int, at instant: MonotonicInstant) {
    // The loss has been reported at this instant.
    guard lossInstant != instant else { return }
    publishWithoutFix(time: time, source: source) { session, line in session.enqueue(droppable: line) }
  }

  /// Reports the loss of the fix to clients without the additions; the others receive `STATE`.
  func publishLoss(of source: Int, time: UTCInstant?, at instant: MonotonicInstant) {
    lossInstant = instant
    gpsdFields?.lost()
    publishWithoutFix(time: time, source: source) { session, line in
      session.enqueuePendingFix()
      session.enqueue(line)
    }
  }

  private func publishWithoutFix(
    time: UTCInstant?, source: Int, _ enqueue: (ClientSession, ByteBuffer) -> Void
  ) {
    guard clients.sessions.contains(where: { $0.subscription?.extensions == false }),
      let device = host.feed(source)?.uri.device
    else { return }
    let line = line { line in
      TPV.noFix(time: time, device: device, into: &line)
      TPV.finish(&line)
    }
    for session in clients.sessions
    where session.subscription?.extensions == false && session.isSubscribed(to: device) { enqueue(session, line) }
  }
}

// Devices.
extension Server {
  /// Notes that a source was opened or closed, and reports it to clients without the additions, as gpsd does.
  func noteActivation(of source: Int) {
    guard let feed = host.feed(source) else { return }
    let isOpen = feed.receiver?.isOpen == true
    guard isOpen != (activations[source] != nil) else { return }
    activations[source] = isOpen ? WallClock.now : nil
    for session in clients.sessions
    where session.subscription?.extensions == false && session.isSubscribed(to: feed.uri.device) {
      guard let state = host.engine.index(of: source).map({ host.engine.supervisor.states[$0] }) else { continue }
      session.enqueue(line { deviceReport(feed, state, for: session).write(into: &$0) })
    }
  }

  func devicesReport(for session: ClientSession) -> DevicesReport {
    DevicesReport(
      devices: zip(host.feeds, host.engine.supervisor.states).map { deviceReport($0, $1, for: session) })
  }

  /// Sends the `DEVICE` of that path, or of the leading source.
  func sendDevice(_ path: String?, to session: ClientSession) {
    let path = path ?? session.watch.device ?? host.lead.uri.device
    guard let index = host.feeds.firstIndex(where: { $0.uri.device == path }) else {
      let known = host.feeds.map(\.uri.device).joined(separator: ", ")
      return refuse("DEVICE", "no such device as \(path); there is \(known)", to: session)
    }
    let report = deviceReport(host.feeds[index], host.engine.supervisor.states[index], for: session)
    session.enqueue(line { report.write(into: &$0) })
  }

  private func deviceReport(_ feed: SourceFeed, _ state: SourceState, for session: ClientSession) -> DeviceReport {
    var device = DeviceReport(path: feed.uri.device)
    device.driver = "NMEA0183"
    device.cycle = feed.receiver?.period
    guard !session.mayUseAdditions else {
      device.source = feed.name
      device.flags = state.phase == .tracking ? 1 : nil
      return device
    }
    device.activated = activations[feed.id]
    device.flags = (feed.receiver?.sentenceCount ?? 0) > 0 ? 1 : nil
    device.native = 0
    if let speed = feed.source?.lineSpeed {
      device.bps = speed
      device.parity = "N"
      device.stopbits = 1
    }
    return device
  }
}
