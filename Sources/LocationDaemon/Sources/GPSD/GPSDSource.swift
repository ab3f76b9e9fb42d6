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

  private let options: GPSDOptions
  private let connector: StreamConnector
  private let loop: any EventLoop
  private let log: Logger
  private weak var sink: (any ReceiverSink)?
  private var lines = LineFramer(limit: longestLine)
  private var decoder: GPSDLineReader?
  private var watch: Scheduled<Void>?
  private var lastHeard = PipelineClock.machine
  private var isAsked = false
  /// Whether gpsd has introduced itself on this connection.
  private var isGPSD = false
  /// Whether the sink was told that reports may come.
  private var isOpen = false

  init(_ options: GPSDOptions, sink: any ReceiverSink, on loop: any EventLoop, log: Logger) {
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
      sink?.sourceDidFail(.misconfigured(source: name, reason: error.reason))
      return
    }
    connector.start()
  }

  package func stop() {
    watch?.cancel()
    connector.stop()
  }

  private var name: String { "gpsd://\(options.address)" }

  private func didConnect() {
    lines.reset()
    isGPSD = false
    isAsked = false
    lastHeard = PipelineClock.machine
    let device = options.device.map { ",\"device\":\"\($0.filter { $0 != "\"" && $0 != "\\" })\"" } ?? ""
    connector.send("?WATCH={\"enable\":true,\"json\":true\(device)};\n")
    watchSilence()
  }

  private func didRead(_ bytes: ByteBuffer) {
    lastHeard = PipelineClock.machine
    isAsked = false
    lines.take(bytes) { line in
      guard let report = decoder?.read(line, at: lastHeard) else { return }
      take(report, line)
    }
  }

  private func take(_ report: GPSDReport, _ line: ArraySlice<UInt8>) {
    if case .version(let release) = report {
      isGPSD = true
      connector.isUseful()
      log.info("connected to gpsd", metadata: ["SOURCE": "\(name)", "RELEASE": "\(release)"])
    }
    // Whatever speaks before it has said that it is gpsd is not one.
    guard isGPSD else { return }
    switch report {
    case .devices(let devices): didList(devices)
    case .device(let device): didChange(device)
    case .error(let message): log.warning("gpsd answers: \(message)", metadata: ["SOURCE": "\(name)"])
    case .position, .sky, .noise:
      open()
      var bytes = ByteBuffer(bytes: line)
      bytes.writeInteger(UInt8(ascii: "\n"))
      sink?.sourceDidReport(report, line: bytes, at: lastHeard)
    case .version, .other: break
    }
  }

  private func didList(_ devices: [GPSDReport.Device]) {
    if let wanted = options.device {
      guard devices.contains(where: { $0.path == wanted }) else {
        return fail(.notFound(device: "\(wanted) at \(name)", present: devices.map(\.path)))
      }
    } else if devices.isEmpty {
      return fail(
        .unavailable(source: name, reason: "gpsd has no receiver; plug one in, or name it: gpsdctl add DEVICE"))
    }
    open()
  }

  private func didChange(_ device: GPSDReport.Device) {
    guard options.device == nil || options.device == device.path else { return }
    if device.isActive {
      open()
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
    watch?.cancel()
    let wasOpen = isOpen
    isOpen = false
    switch loss {
    case .closed where wasOpen: sink?.sourceDidLose(.unavailable(source: name, reason: "gpsd closed the connection"))
    case .closed: sink?.sourceDidFail(.unavailable(source: name, reason: "gpsd closed the connection"))
    case .refused where options.address.isLocal && !Self.isGPSDInstalled:
      sink?.sourceDidFail(.notInstalled(program: "gpsd", source: name))
    case .refused: sink?.sourceDidFail(.unavailable(source: name, reason: "nothing listens there"))
    case .unreachable(let words): sink?.sourceDidFail(.unavailable(source: name, reason: words))
    }
  }

  /// A gpsd without anything to say is silent, and so is one that hangs: only asking tells them apart.
  private func watchSilence() {
    let due = lastHeard + (isAsked || !isGPSD ? Self.answerTime : Self.patience)
    watch?.cancel()
    watch = loop.assumeIsolated().scheduleTask(
      deadline: .uptimeNanoseconds(UInt64(clamping: due.nanoseconds))
    ) { [weak self] in
      guard let self else { return }
      let silence = PipelineClock.machine - self.lastHeard
      if !self.isGPSD || (self.isAsked && silence >= Self.answerTime) {
        self.log.warning("gpsd does not answer", metadata: ["SOURCE": "\(self.name)"])
        self.connector.disconnect()
        return
      }
      if silence >= Self.patience {
        self.isAsked = true
        self.lastHeard = PipelineClock.machine
        self.connector.send("?VERSION;\n")
      }
      self.watchSilence()
    }
  }

  private static var isGPSDInstalled: Bool {
    let places = ["/usr/sbin/gpsd", "/usr/local/sbin/gpsd", "/usr/bin/gpsd"]
    return places.contains { (path: String) in access(path, X_OK) == 0 }
  }
}

extension GPSDLineReader.Failure {
  /// In words, with the way out.
  fileprivate var reason: String {
    switch self {
    case .noLibrary(let name):
      "\(name) is not installed (Debian: apt-get install libgps28, or the libgps of this release)"
    case .notBuilt: "this program was built without libgps-dev; install it and build again"
    }
  }
}
