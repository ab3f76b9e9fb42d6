import Dispatch
import Glibc
import LocationCore
import Logging
import NIOCore
import NIOPosix

/// The running daemon: owns all parts, starts them in order and stops them in reverse order.
package final class Daemon {
  /// The release reported to clients.
  package static let release = "0.1.0"

  /// Time that clients have to read the final ERROR line.
  private static let stopTimeout = TimeAmount.seconds(1)

  /// The queue that completes the loop's shutdown. A thread of a global queue would request a higher priority.
  private static let shutdownQueue = DispatchQueue(label: "handlebard.stop")

  var configuration: DaemonConfiguration
  private let load: () throws(ConfigurationError) -> DaemonConfiguration
  let threshold: LogThreshold
  private let loop: any EventLoop
  let log: Logger
  let host: EngineHost
  let server: Server
  private let service: ServiceReporter?
  private let listener: UnixListener
  private let tcpListeners: [TCPListener]
  private let nmeaListener: UnixListener?
  /// Whether the service manager passed the main socket.
  let isActivated: Bool
  private let early: EarlySignals
  private let signals: SignalPipe
  private var lifeline: Lifeline?
  private(set) var isStopping = false
  /// The replaced recorder, until its last bytes are on disk.
  var retiring: Recorder?
  /// Whether the next recorder starts recording.
  var recordsAfterRetirement: Bool?
  /// The error that stops the daemon, if any.
  private var failure: (any Error)?

  /// Runs the daemon on the calling thread until SIGTERM or SIGINT.
  ///
  /// - Parameters:
  ///   - environment: The environment, with the variables of the service manager.
  ///   - endsWithInput: Whether the end of standard input stops the daemon too.
  ///   - load: Returns the configuration to apply on SIGHUP.
  package static func run(
    _ configuration: DaemonConfiguration, environment: [String: String], threshold: LogThreshold, log: Logger,
    endsWithInput: Bool = false, load: @escaping () throws(ConfigurationError) -> DaemonConfiguration
  ) throws {
    StandardDescriptors.fill()
    signal(SIGPIPE, SIG_IGN)
    let sockets = try ActivatedSockets(environment: environment)
    let manager = ServiceManager(environment: environment)
    Environment.removeServiceVariables()
    var daemon: Daemon?
    var failure: (any Error)?
    MultiThreadedEventLoopGroup.withCurrentThreadAsEventLoop { loop in
      do {
        daemon = try Daemon(
          configuration, load: load, threshold: threshold, sockets: sockets, manager: manager, on: loop, log: log)
        daemon?.start(endsWithInput: endsWithInput)
      } catch {
        failure = error
        loop.shutdownGracefully(queue: Self.shutdownQueue) { _ in }
      }
    }
    if let failure = failure ?? daemon?.failure { throw failure }
  }

  private init(
    _ configuration: DaemonConfiguration, load: @escaping () throws(ConfigurationError) -> DaemonConfiguration,
    threshold: LogThreshold, sockets: ActivatedSockets, manager: ServiceManager?, on loop: any EventLoop, log: Logger
  ) throws {
    self.configuration = configuration
    self.load = load
    self.threshold = threshold
    self.loop = loop
    self.log = log
    let clock = EngineClock()
    if configuration.hasVirtualTime {
      clock.startStepping(at: .zero)
    } else if configuration.waitsForFirstClient {
      // Recorded time does not advance before the recording starts.
      clock.run(rate: 0)
    }
    host = try EngineHost(configuration, clock: clock, on: loop, log: log)
    server = Server(configuration, host: host, on: loop, log: log)
    service = manager.map { [host] manager in
      ServiceReporter(to: manager, on: loop) { host.statusLine }
    }
    // Before the sockets are bound: an early signal must not leave a socket file behind.
    early = EarlySignals()
    let early = early
    signals = try SignalPipe([SIGTERM, SIGINT, SIGHUP], on: loop) { number in early.take(number) }
    // TCP first: if its port is taken, no socket file is left behind.
    tcpListeners =
      sockets.tcp.isEmpty
      ? try TCPListener.listen(on: configuration.tcpAddresses, server: server, loop: loop)
      : sockets.tcp.map { [server] in TCPListener(socket: $0, server, loop) }
    let listen = {
      [server] (socket: Int32?, path: String, dialect: Dialect) throws(UnixSocketPath.Failure) in
      if let socket { return UnixListener(socket: socket, dialect: dialect, server: server, on: loop) }
      return try UnixListener(
        path: path, mode: configuration.socketMode, group: configuration.socketGroup, dialect: dialect,
        server: server, on: loop)
    }
    // The main socket is bound last: a client that can connect to it finds the others bound.
    let nmeaListener: UnixListener? =
      if let socket = sockets.nmea {
        try listen(socket, "", .nmea)
      } else if let path = configuration.nmeaSocketPath {
        try listen(nil, path, .nmea)
      } else {
        nil
      }
    self.nmeaListener = nmeaListener
    do throws(UnixSocketPath.Failure) {
      listener = try listen(sockets.location, configuration.socketPath, .handlebar)
    } catch {
      nmeaListener?.close()
      throw error
    }
    isActivated = sockets.location != nil
  }

  private func start(endsWithInput: Bool) {
    early.handle { number in
      if number == SIGHUP { self.reload() } else { self.stop(signal: number) }
    }
    if endsWithInput { lifeline = Lifeline(on: loop) { [unowned self] in inputDidEnd() } }
    guard !isStopping else { return }
    startRecorder(recording: configuration.recordsFromStart)
    for feed in host.feeds { feed.source = makeSource(for: feed) }
    server.onListenerLost = { [unowned self] error in self.fail(error) }
    if let error = server.listenerFailure { return fail(error) }
    host.onStateChange = { [weak service] in service?.updateStatus() }
    log.info("ready", metadata: isActivated ? [:] : ["SOCKET": "\(configuration.socketPath)"])
    service?.notifyReady()
    for feed in host.feeds { feed.source?.start() }
  }

  /// Creates the recorder, if a directory is configured, and starts it if `recording`.
  func startRecorder(recording: Bool) {
    guard let directory = configuration.recordDirectory else { return }
    let recorder = Recorder(
      directory: directory, policy: configuration.ridePolicy, sources: configuration.sources, clock: host.clock,
      on: loop, log: log)
    recorder.onChange = { [unowned server] in server.recordingDidChange() }
    host.recorder = recorder
    if recording { recorder.start() }
  }

  /// The transport of a feed, not yet started.
  func makeSource(for feed: SourceFeed) -> any ReceiverSource {
    switch feed.uri {
    case .serial(let options): SerialSource(options, sink: feed, on: loop, log: log)
    case .gpsd(let options): GPSDSource(options, sink: feed, on: loop, log: log)
    case .tcp(let options): TCPSource(options, sink: feed, on: loop)
    case .udp(let options): UDPSource(options, sink: feed, on: loop)
    case .recording(let options):
      RecordingSource(options, feed: feed, host: host, server: server, on: loop, log: log)
    case .disabled(let source): DisabledSource(source.device, sink: feed)
    case .simulation(let options):
      RecordingSource(simulating: options, feed: feed, host: host, server: server, on: loop, log: log)
    }
  }

  /// Loads and applies the configuration; an invalid one changes nothing.
  private func reload() {
    guard !isStopping else { return }
    service?.notifyReloading()
    do throws(ConfigurationError) {
      apply(try load())
    } catch {
      log.error("the configuration is invalid and the old one stays: \(error)", metadata: ["REASON": "configuration"])
    }
    service?.notifyReady()
  }

  private func stop(signal: Int32) {
    guard !isStopping else { return }
    log.info("stopping", metadata: ["SIGNAL": "\(signal)"])
    stop()
  }

  private func inputDidEnd() {
    guard !isStopping else { return }
    log.info("stopping: end of standard input")
    stop()
  }

  /// Stops with an error when a listening socket is lost, so that the service manager restarts the daemon.
  private func fail(_ error: any Error) {
    guard !isStopping else { return }
    failure = error
    stop()
  }

  private func stop() {
    isStopping = true
    service?.notifyStopping()
    for feed in host.feeds { feed.source?.stop() }
    listener.close()
    nmeaListener?.close()
    for listener in tcpListeners { listener.close() }
    server.stop(within: Self.stopTimeout) {
      self.signals.close()
      self.lifeline?.close()
      self.service?.end()
      self.loop.shutdownGracefully(queue: Self.shutdownQueue) { _ in }
    }
    // Runs while the clients read.
    (host.recorder ?? retiring)?.stop()
  }
}
