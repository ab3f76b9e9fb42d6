import GPSDProtocol
import LocationCore
import NIOCore

/// What clients without the additions read besides the fix: gpsd's derived errors, rates and dilutions of precision.
struct GPSDFields {
  private(set) var model = ErrorModel()
  private var source: SourceID
  /// Epochs since one whose `SKY` preceded the fix.
  private var epochs = 0

  init(_ engine: borrowing LocationEngine) {
    source = engine.lead.setup.id
    if let sky = engine.lead.sky { model.take(sky) }
    if engine.hasFix, let newest = engine.desk.newest { _ = model.errors(of: newest.fix) }
  }

  mutating func note(_ sky: borrowing Sky, from source: SourceID) {
    follow(source)
    model.take(sky)
  }

  mutating func note(_ fix: borrowing PublishedFix, _ sky: Sky?) {
    follow(fix.source)
    if let sky { model.take(sky) }
    _ = model.errors(of: fix.fix)
    epochs += 1
  }

  /// Returns where `SKY` is written at epochs that follow each other after `cycle`.
  mutating func skyPlace(cycle: Duration?) -> GPSDLines.SkyPlace {
    guard let cycle, cycle < .milliseconds(500) else { return .apart }
    guard epochs >= GPSDLines.positionsPerSky else { return .afterFix }
    epochs = 0
    return .beforeFix
  }

  mutating func lost() { model.lost() }

  private mutating func follow(_ source: SourceID) {
    guard source != self.source else { return }
    self.source = source
    model = ErrorModel()
  }
}

/// The lines of one epoch for clients without the additions, encoded once.
struct GPSDLines {
  /// `TPV`, and `GST` if the receiver sends it.
  var fix: ByteBuffer
  var sky: ByteBuffer?
  var skyPlace = SkyPlace.apart

  /// Fewest positions from one `SKY` to the next that gps3 takes in place of one.
  fileprivate static let positionsPerSky = 25

  /// Where `SKY` is written: gps3 takes one line of all that it reads every 200 ms, the first, and discards the others.
  enum SkyPlace {
    /// A while after the fix.
    case apart
    /// In the write of the fix, as epochs follow each other too fast for one between them: gps3 takes the position.
    case afterFix
    /// In the write of the fix: gps3 takes the satellites.
    case beforeFix
  }
}

// What gpsd's own clients receive: gpsd's classes with the fields that gpsd has, and no others.
extension Server {
  /// The lines of a published fix; `nil` when no client without the additions watches.
  func gpsdLines(
    of fix: PublishedFix, _ sky: Sky?, _ noise: PseudorangeNoise?, isSkyDue: Bool, device: String?,
    _ engine: borrowing LocationEngine
  ) -> GPSDLines? {
    guard clients.sessions.contains(where: { $0.feed?.usesAdditions == false }) else { return nil }
    let errors = gpsdFields?.model.newest
    let position = line { line in
      TPV.body(fix.fix, device: device, errors: errors, into: &line)
      line.end()
      if let noise { GSTReport(noise, time: fix.fix.measured, device: device).write(into: &line) }
    }
    guard isSkyDue, let sky else { return GPSDLines(fix: position) }
    let place = gpsdFields?.skyPlace(cycle: engine.sources[engine.supervisor.lead].period)
    return GPSDLines(fix: position, sky: gpsdLine(of: sky, device: device), skyPlace: place ?? .apart)
  }

  func gpsdLine(of sky: Sky, device: String?) -> ByteBuffer {
    line { SkyReport.write(sky, device: device, dilution: gpsdFields?.model.dilution, into: &$0) }
  }

  func gpsdLine(of fix: PublishedFix, isNewest: Bool) -> ByteBuffer {
    line { line in
      TPV.body(
        fix.fix, device: fixLines.device(of: fix), errors: isNewest ? gpsdFields?.model.newest : nil, into: &line)
      line.end()
    }
  }

  var derivesGPSDFields: Bool {
    servesGPSD || clients.sessions.contains(where: \.readsGPSDFields)
  }

  /// Derives gpsd's fields as long as a client reads them, or may ask for them.
  func updateGPSDFields(_ engine: borrowing LocationEngine) {
    guard derivesGPSDFields else { return gpsdFields = nil }
    if gpsdFields == nil { gpsdFields = GPSDFields(engine) }
  }

  /// Reports an epoch without a fix by a `TPV` without a position, as gpsd does: these clients do not support `STATE`.
  func publishNoFix(time: UTCInstant?, source: SourceID, at instant: MonotonicInstant) {
    // The loss has been reported at this instant.
    guard lossInstant != instant else { return }
    publishWithoutFix(time: time, source: source) { session, line in session.enqueue(droppable: line) }
  }

  /// Reports the loss of the fix to clients without the additions; the others receive `STATE`.
  func publishLoss(of source: SourceID, time: UTCInstant?, at instant: MonotonicInstant) {
    lossInstant = instant
    gpsdFields?.lost()
    publishWithoutFix(time: time, source: source) { session, line in
      session.enqueuePendingFix()
      session.enqueue(line)
    }
  }

  private func publishWithoutFix(time: UTCInstant?, source: SourceID, _ enqueue: (ClientSession, ByteBuffer) -> Void) {
    guard clients.sessions.contains(where: { $0.feed?.usesAdditions == false }),
      let device = sources[source]?.device
    else { return }
    let line = line { line in
      TPV.noFix(time: time, device: device, into: &line)
      line.end()
    }
    for session in clients.sessions
    where session.feed?.usesAdditions == false && session.isSubscribed(to: device) { enqueue(session, line) }
  }

  /// Notes that a source was opened or closed, and reports it to clients without the additions, as gpsd does.
  func noteActivation(of source: SourceID, _ engine: borrowing LocationEngine) {
    guard let source = sources[source], let index = sources.index(of: source, in: engine) else { return }
    let isOpen = engine.sources[index].isOpen
    guard isOpen != (activations[source.id] != nil) else { return }
    activations[source.id] = isOpen ? WallClock.now : nil
    for session in clients.sessions
    where session.feed?.usesAdditions == false && session.isSubscribed(to: source.device) {
      session.enqueue(line { deviceReport(source, for: session, engine).write(into: &$0) })
    }
  }

  func devicesReport(for session: ClientSession, _ engine: borrowing LocationEngine) -> DevicesReport {
    DevicesReport(devices: sources.all.map { deviceReport($0, for: session, engine) })
  }

  func sendDevice(_ path: String?, to session: ClientSession, _ engine: borrowing LocationEngine) {
    let path = path ?? session.watch.device ?? sources.lead(in: engine).device
    guard let source = sources.all.first(where: { $0.device == path }) else {
      return refuse("DEVICE", "no such device as \(path); there is \(sources.devices)", to: session)
    }
    session.enqueue(line { deviceReport(source, for: session, engine).write(into: &$0) })
  }

  private func deviceReport(
    _ source: ConfiguredSource, for session: ClientSession, _ engine: borrowing LocationEngine
  ) -> DeviceReport {
    let receiver = sources.index(of: source, in: engine)
    var device = DeviceReport(path: source.device)
    device.driver = "NMEA0183"
    device.cycle = receiver.flatMap { engine.sources[$0].period }
    guard !session.usesAdditions else {
      device.source = source.name
      device.packetKinds = sources.state(of: source, in: engine).phase == .tracking ? 1 : nil
      return device
    }
    device.activated = activations[source.id]
    device.packetKinds = (receiver.map { engine.sources[$0].sentenceCount } ?? 0) > 0 ? 1 : nil
    device.nativeMode = 0
    if let speed = source.serial?.open?.speed {
      device.bitRate = speed
      device.parity = "N"
      device.stopBits = 1
    }
    return device
  }
}
