import GPSDProtocol
import Glibc
import LocationCore
import Logging
import NIOCore

/// A receiver behind a gpsd. It connects, subscribes, and reconnects after every kind of loss. NIO holds the connection
/// and libgps decodes the lines, as it itself connects without a timeout and never reconnects.
package final class GPSDSource: ReceiverSource {
  private static let silenceLimit = Duration.seconds(10)
  /// Longest wait for gpsd's greeting and for the answer to a probe.
  private static let answerTimeout = Duration.seconds(5)

  private let options: GPSDOptions
  private let connector: NetworkConnector
  private let inlet: SourceInlet
  private let serialLines: SerialLines
  private var lines = ReportLines()
  private var decoder: GPSDLineReader?
  private var timer: Scheduled<Void>?
  private var lastRead = EngineClock.machine
  private var isProbing = false
  private var isGPSD = false
  private var isOpen = false
  private var positionDevice: String?
  private var hasLoggedMalformed = false
  private var hasLoggedRefusal = false
  private var hasRequestedSentences = false
  private var closeReason: String?
  package private(set) var link = LinkCounters()

  init(_ options: GPSDOptions, into inlet: SourceInlet, serialLines: SerialLines) {
    self.options = options
    self.inlet = inlet
    self.serialLines = serialLines
    connector = NetworkConnector(to: options.address, on: inlet.eventLoop)
    connector.onAttempt = { [inlet] in inlet.note(.opening) }
    connector.onConnect = { [weak self] in self?.didConnect() }
    connector.onRead = { [weak self] bytes in self?.didRead(bytes) }
    connector.onLoss = { [weak self] loss in self?.didLose(loss) }
  }

  package func start() {
    decoder = GPSDLineReader()
    connector.start()
  }

  package func stop() {
    timer?.cancel()
    connector.stop()
  }

  private var name: String { "gpsd://\(options.address)" }

  private func didConnect() {
    link.connections &+= 1
    lines = ReportLines()
    isGPSD = false
    isProbing = false
    hasLoggedMalformed = false
    hasLoggedRefusal = false
    closeReason = nil
    positionDevice = nil
    lastRead = EngineClock.machine
    watch()
    watchSilence()
  }

  /// Subscribes to the configured device or to all, with sentences while a client reads them.
  private func watch() {
    hasRequestedSentences = inlet.wantsSentences
    let device = options.receiver.map { ",\"device\":\"\($0.filter { $0 != "\"" && $0 != "\\" })\"" } ?? ""
    connector.send("?WATCH={\"enable\":true,\"json\":true,\"nmea\":\(hasRequestedSentences)\(device)};\n")
  }

  private func didRead(_ bytes: ByteBuffer) {
    lastRead = EngineClock.machine
    isProbing = false
    let bytes = Array(bytes.readableBytesView)
    var index = 0
    while index < bytes.count {
      do throws(ReportError) {
        if let line = try lines.nextLine(in: bytes.span, from: &index) { received(line[...]) }
      } catch {
        link.overlong &+= 1
      }
    }
  }

  private func received(_ line: ArraySlice<UInt8>) {
    if isGPSD, line.first == UInt8(ascii: "$") || line.first == UInt8(ascii: "!") {
      return inlet.pass(sentence: Array(line) + [UInt8(ascii: "\r"), UInt8(ascii: "\n")])
    }
    let report = decoder?.read(line)
    link.nested = decoder?.nested ?? 0
    guard let report else {
      link.malformed &+= 1
      if !isGPSD, closeReason == nil { closeReason = "what listens there is not gpsd: it sends something else" }
      guard !hasLoggedMalformed else { return }
      hasLoggedMalformed = true
      inlet.log.warning(
        "malformed line from gpsd ignored; further ones are only counted",
        metadata: ["SOURCE": "\(name)", "LINE": "\(String(decoding: line.prefix(120), as: UTF8.self))"])
      return
    }
    received(report, line)
  }

  private func received(_ report: Report, _ line: ArraySlice<UInt8>) {
    if case .version(let version) = report, !isGPSD {
      isGPSD = true
      closeReason = nil
      connector.resetBackoff()
      let decoder = decoder?.usesLibgps == true ? "libgps" : "own"
      inlet.log.info(
        "connected to gpsd", metadata: ["SOURCE": "\(name)", "RELEASE": "\(version.release)", "DECODER": "\(decoder)"])
    }
    // A peer that sends anything before its VERSION is not gpsd.
    guard isGPSD else { return }
    if case .other = report { link.unknown &+= 1 } else { link.reports &+= 1 }
    switch report {
    case .devices(let report): didList(report.devices)
    case .device(let device): didChange(device)
    case .error(let error): didRefuse(error)
    default: if let report = GPSDReport(report, at: lastRead) { pass(report, line) }
    }
  }

  private func didRefuse(_ error: ErrorReport) {
    link.errors &+= 1
    // Once per connection, as a gpsd that refuses the list too would make a loop.
    guard !hasLoggedRefusal else { return }
    hasLoggedRefusal = true
    inlet.log.warning("gpsd reports an error: \(error.message)", metadata: ["SOURCE": "\(name)"])
    // gpsd refuses to watch an unknown receiver without naming those that it has.
    if !isOpen, options.receiver != nil { connector.send("?DEVICES;\n") }
  }

  private func pass(_ report: GPSDReport, _ line: ArraySlice<UInt8>) {
    let device =
      switch report {
      case .position(let position): position.device
      case .sky(let device, _), .noise(let device, _): device
      }
    guard options.receiver == nil || options.receiver == device else { return }
    if case .position = report { positionDevice = device }
    open()
    inlet.receive(report, line: line, at: lastRead)
    if hasRequestedSentences != inlet.wantsSentences { watch() }
  }

  private func didList(_ devices: [DeviceReport]) {
    let wanted = devices.filter { options.receiver == nil || $0.path == options.receiver }
    if let receiver = options.receiver, wanted.isEmpty {
      return fail(.notFound(device: "\(name)\(receiver)", present: devices.map { "\(name)\($0.path)" }))
    }
    if let error = conflict(with: wanted) { return fail(error) }
    if wanted.isEmpty { return fail(.unavailable(source: name, reason: "gpsd has no receiver")) }
    open()
  }

  private func didChange(_ device: DeviceReport) {
    guard options.receiver == nil || options.receiver == device.path else { return }
    if device.activated != nil { return open() }
    // Another one that goes away, such as a receiver of AIS, takes no position with it.
    guard positionDevice == nil || positionDevice == device.path else { return }
    if let error = conflict(with: [device]) {
      fail(error)
    } else if isOpen {
      isOpen = false
      inlet.note(.unplugged(.unavailable(source: name, reason: "gpsd lost its receiver \(device.path)")))
    }
  }

  /// The error of a gpsd without a receiver because this daemon holds it as a serial source. The reverse is logged. A
  /// gpsd that cannot open its receiver forgets it, so that both are the same is a guess.
  func conflict(with devices: [DeviceReport]) -> SourceError? {
    guard options.address.isLocal else { return nil }
    if devices.isEmpty { return serialLines.open().map { .heldByDaemon(source: name, by: $0) } }
    var held: [String] = []
    for device in devices {
      guard let other = serialLines.reading(device.path) else { continue }
      guard device.activated != nil else {
        held.append(other)
        continue
      }
      inlet.log.warning(
        "gpsd and another source use the same receiver; only one of the two can read it: configure one of them",
        metadata: ["SOURCE": "\(name)", "DEVICE": "\(device.path)", "OTHER": "\(other)"])
    }
    return held.count == devices.count ? .heldByDaemon(source: name, by: held[0]) : nil
  }

  private func open() {
    guard !isOpen else { return }
    isOpen = true
    inlet.note(.opened)
  }

  private func fail(_ error: SourceError) {
    isOpen = false
    inlet.note(.failed(error))
  }

  private func didLose(_ loss: NetworkConnector.Loss) {
    timer?.cancel()
    let closed = isGPSD ? "gpsd closed the connection" : "the peer closed the connection and is perhaps not gpsd"
    var error = loss.error(of: name, closed: closeReason ?? closed)
    if case .refused = loss, options.address.isLocal, !Self.isGPSDInstalled {
      error = .notInstalled(program: "gpsd", source: name)
    }
    inlet.note(isOpen ? .unplugged(error) : .failed(error))
    isOpen = false
  }

  /// A gpsd without a report is as silent as one that hangs, so silence leads to a probe.
  private func watchSilence() {
    let due = lastRead + (isProbing || !isGPSD ? Self.answerTimeout : Self.silenceLimit)
    timer?.cancel()
    timer = inlet.eventLoop.schedule(at: due) { [weak self] in self?.expireSilence() }
  }

  private func expireSilence() {
    let silence = EngineClock.machine - lastRead
    if !isGPSD { return close("the peer does not identify itself as gpsd") }
    if isProbing, silence >= Self.answerTimeout { return close("gpsd does not answer") }
    if silence >= Self.silenceLimit {
      isProbing = true
      lastRead = EngineClock.machine
      // gpsd may have got a receiver since.
      if isOpen { connector.send("?VERSION;\n") } else { watch() }
    }
    watchSilence()
  }

  private func close(_ reason: String) {
    closeReason = reason
    inlet.log.warning("\(reason)", metadata: ["SOURCE": "\(name)"])
    connector.disconnect()
  }

  private static var isGPSDInstalled: Bool {
    let places = ["/usr/sbin/gpsd", "/usr/local/sbin/gpsd", "/usr/bin/gpsd"]
    return places.contains { (path: String) in access(path, X_OK) == 0 }
  }
}
