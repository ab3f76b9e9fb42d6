import Glibc
import LocationCore
import Logging
import NIOCore

/// A receiver behind a gpsd: connects, watches, and comes back after every kind of loss.
///
/// NIO has the connection and cuts the lines, libgps decodes them: libgps itself connects without a time-out and never
/// again.
package final class GPSDSource: ReceiverSource {
  /// Longer than anything gpsd sends; more is dropped and counted.
  private static let longestLine = 16_384
  /// After so long a silence gpsd is asked whether it is there.
  private static let patience = Duration.seconds(10)
  /// How long it may take to say so.
  private static let answerTime = Duration.seconds(5)
  /// How often a libgps that is missing is looked for.
  private static let libraryWait = TimeAmount.seconds(5)

  let options: GPSDOptions
  let log: Logger
  private let connector: StreamConnector
  private let loop: any EventLoop
  private(set) weak var sink: SourceFeed?
  private var lines = LineFramer(limit: longestLine)
  /// Its count; to be read also while it hands out a line.
  private var overlongLines: UInt64 = 0
  private var decoder: GPSDLineReader?
  private var timer: Scheduled<Void>?
  private var lastHeard = EngineClock.machine
  private var isAsked = false
  /// Whether gpsd has introduced itself on this connection.
  private var isGPSD = false
  /// Whether the sink was told that reports may come.
  private var isOpen = false
  /// Whether this connection's first line that cannot be read was told.
  private var hasToldMalformed = false
  /// Whether this connection's first refusal was told, and gpsd asked for the receivers that it has.
  private var hasToldRefusal = false
  /// Whether gpsd sends sentences too.
  private var hasAskedForSentences = false
  /// Why the connection was given up by this end.
  private var reasonForLeaving: String?
  private var counters = LinkCounters()

  init(_ options: GPSDOptions, sink: SourceFeed, on loop: any EventLoop, log: Logger) {
    self.options = options
    self.sink = sink
    self.loop = loop
    self.log = log
    connector = StreamConnector(to: options.address, on: loop)
    connector.onAttempt = { [weak self] in self?.sink?.sourceIsOpening() }
    connector.onConnect = { [weak self] in self?.didConnect() }
    connector.onRead = { [weak self] bytes in self?.didRead(bytes) }
    connector.onLoss = { [weak self] loss in self?.didLose(loss) }
  }

  package func start() {
    do throws(GPSDLineReader.Failure) {
      decoder = try GPSDLineReader()
    } catch {
      sink?.sourceIsOpening()
      sink?.sourceDidFail(error.sourceError(of: name))
      if case .notBuilt = error { return }
      timer = loop.assumeIsolated().scheduleTask(in: Self.libraryWait) { [weak self] in self?.start() }
      return
    }
    connector.start()
  }

  package func stop() {
    timer?.cancel()
    connector.stop()
  }

  package var link: LinkCounters {
    var link = counters
    link.malformed &+= decoder?.malformed ?? 0
    link.nested = decoder?.nested ?? 0
    link.overlong = overlongLines
    return link
  }

  var name: String { "gpsd://\(options.address)" }

  private func didConnect() {
    counters.connections &+= 1
    lines.reset()
    isGPSD = false
    isAsked = false
    hasToldMalformed = false
    hasToldRefusal = false
    reasonForLeaving = nil
    lastHeard = EngineClock.machine
    watch()
    watchSilence()
  }

  /// Asks gpsd to stream, for one device if one is wanted, and with sentences while a client reads them.
  private func watch() {
    let wantsSentences = sink?.wantsSentences ?? false
    hasAskedForSentences = wantsSentences
    let device = options.device.map { ",\"device\":\"\($0.filter { $0 != "\"" && $0 != "\\" })\"" } ?? ""
    connector.send("?WATCH={\"enable\":true,\"json\":true,\"nmea\":\(wantsSentences)\(device)};\n")
  }

  private func didRead(_ bytes: ByteBuffer) {
    lastHeard = EngineClock.machine
    isAsked = false
    lines.take(bytes) { take($0) }
    overlongLines = lines.overlong
  }

  private func take(_ line: ArraySlice<UInt8>) {
    if isGPSD, hasAskedForSentences, line.first == UInt8(ascii: "$") || line.first == UInt8(ascii: "!") {
      var sentence = ByteBuffer(bytes: line)
      sentence.writeStaticString("\r\n")
      sink?.sourceDidPass(sentence: sentence)
      return
    }
    guard let report = decoder?.read(line, at: lastHeard) else {
      guard !hasToldMalformed else { return }
      hasToldMalformed = true
      log.warning(
        "a line of gpsd cannot be read and is passed by; more are only counted",
        metadata: ["SOURCE": "\(name)", "LINE": "\(String(decoding: line.prefix(120), as: UTF8.self))"])
      return
    }
    take(report, line)
  }

  private func take(_ report: GPSDLineReport, _ line: ArraySlice<UInt8>) {
    if case .version(let release) = report, !isGPSD {
      isGPSD = true
      connector.isUseful()
      log.info("connected to gpsd", metadata: ["SOURCE": "\(name)", "RELEASE": "\(release)"])
    }
    // Whatever speaks before it has said that it is gpsd is not one.
    guard isGPSD else { return }
    if case .other = report { counters.unknown &+= 1 } else { counters.reports &+= 1 }
    switch report {
    case .devices(let devices): didList(devices)
    case .device(let device): didChange(device)
    case .error(let message):
      counters.errors &+= 1
      // Once: what answers that with an error too would be asked without end.
      guard !hasToldRefusal else { break }
      hasToldRefusal = true
      log.warning("gpsd answers: \(message)", metadata: ["SOURCE": "\(name)"])
      // It refuses to watch a receiver that it does not have, and does not say which ones it has.
      if !isOpen, options.device != nil { connector.send("?DEVICES;\n") }
    case .position(let position): pass(.position(position), of: position.device, line)
    case .sky(let device, let sky): pass(.sky(device: device, sky), of: device, line)
    case .noise(let device, let noise): pass(.noise(device: device, noise), of: device, line)
    case .version, .watch, .other: break
    }
  }

  private func pass(_ report: GPSDReport, of device: String, _ line: ArraySlice<UInt8>) {
    guard options.device == nil || options.device == device else { return }
    open()
    sink?.sourceDidReport(report, line: line, at: lastHeard)
    if hasAskedForSentences != (sink?.wantsSentences ?? false) { watch() }
  }

  private func didList(_ devices: [GPSDLineReport.Device]) {
    if let wanted = options.device {
      guard let device = devices.first(where: { $0.path == wanted }) else {
        return fail(.notFound(device: "\(name)\(wanted)", present: devices.map { "\(name)\($0.path)" }))
      }
      if let error = conflict(with: [device]) { return fail(error) }
    } else if let error = conflict(with: devices) {
      return fail(error)
    } else if devices.isEmpty {
      return fail(.unavailable(source: name, reason: "gpsd has no receiver"))
    }
    open()
  }

  private func didChange(_ device: GPSDLineReport.Device) {
    guard options.device == nil || options.device == device.path else { return }
    if device.isActive {
      open()
    } else if let error = conflict(with: [device]) {
      fail(error)
    } else if isOpen {
      isOpen = false
      sink?.sourceDidLose(.unavailable(source: name, reason: "gpsd lost its receiver \(device.path)"))
    }
  }

  private func open() {
    guard !isOpen else { return }
    isOpen = true
    sink?.sourceDidOpen()
  }

  private func fail(_ error: SourceError) {
    isOpen = false
    sink?.sourceDidFail(error)
  }

  private func didLose(_ loss: StreamConnector.Loss) {
    timer?.cancel()
    let wasOpen = isOpen
    isOpen = false
    switch loss {
    case .closed:
      let error = SourceError.unavailable(source: name, reason: reasonForLeaving ?? "gpsd closed the connection")
      if wasOpen { sink?.sourceDidLose(error) } else { sink?.sourceDidFail(error) }
    case .refused where options.address.isLocal && !Self.isGPSDInstalled:
      sink?.sourceDidFail(.notInstalled(program: "gpsd", source: name))
    case .refused: sink?.sourceDidFail(.unavailable(source: name, reason: "nothing listens there"))
    case .unreachable(let words): sink?.sourceDidFail(.unavailable(source: name, reason: words))
    }
  }

  /// A gpsd without anything to say is silent, and so is one that hangs: only asking tells them apart.
  private func watchSilence() {
    let due = lastHeard + (isAsked || !isGPSD ? Self.answerTime : Self.patience)
    timer?.cancel()
    timer = loop.assumeIsolated().scheduleTask(
      deadline: .uptimeNanoseconds(UInt64(clamping: due.nanoseconds))
    ) { [weak self] in self?.expireSilence() }
  }

  private func expireSilence() {
    let silence = EngineClock.machine - lastHeard
    if !isGPSD { return leave("what listens there does not introduce itself as gpsd") }
    if isAsked, silence >= Self.answerTime { return leave("gpsd does not answer") }
    if silence >= Self.patience {
      isAsked = true
      lastHeard = EngineClock.machine
      // A receiver that gpsd did not have then it may have now.
      if isOpen { connector.send("?VERSION;\n") } else { watch() }
    }
    watchSilence()
  }

  private func leave(_ reason: String) {
    reasonForLeaving = reason
    log.warning("\(reason)", metadata: ["SOURCE": "\(name)"])
    connector.disconnect()
  }

  private static var isGPSDInstalled: Bool {
    let places = ["/usr/sbin/gpsd", "/usr/local/sbin/gpsd", "/usr/bin/gpsd"]
    return places.contains { (path: String) in access(path, X_OK) == 0 }
  }
}
