import Dispatch
import GPSDProtocol
import Glibc
import Libc
import LocationCore
import Logging
import NIOCore
import NIOPosix

/// The running daemon: owns all parts, starts and stops them.
package final class Daemon {
  package static let release = VersionReport.currentRelease
  /// Time that clients have to read the final ERROR line.
  private static let stopTimeout = TimeAmount.seconds(1)
  /// The queue that completes the loop's shutdown. A thread of a global queue would request a higher priority.
  private static let shutdownQueue = DispatchQueue(label: "handlebard.stop")

  var configuration: DaemonConfiguration
  private let load: () throws(ConfigurationError) -> DaemonConfiguration
  let threshold: LogThreshold
  private let loop: any EventLoop
  let log: Logger
  let engineLoop: EngineLoop
  let sources: SourceList
  let rides: RideObserver
  let time: TimeObserver
  let server: Server
  private let service: ServiceReporter?
  private let state: StateDirectory?
  private let targets: TargetKeeper?
  private let courses: CourseKeeper?
  private let positions: PositionKeeper?
  private let trips: TripKeeper?
  private let wheels: WheelKeeper?
  private let listeners: [Listener]
  /// Whether the service manager passed the main socket.
  let isActivated: Bool
  private let signals: ProcessSignals
  private var lifeline: Lifeline?
  private(set) var isStopping = false
  /// The replaced recorder, until its last bytes are on disk.
  var retiring: Recorder?
  private var failure: (any Error)?

  /// Runs the daemon on the calling thread until SIGTERM or SIGINT, or the end of standard input if `endsWithInput`.
  /// `environment` has the service manager's variables; `load` returns the configuration to apply on SIGHUP.
  package static func run(
    _ configuration: DaemonConfiguration, environment: [String: String], threshold: LogThreshold, log: Logger,
    endsWithInput: Bool = false, load: @escaping () throws(ConfigurationError) -> DaemonConfiguration
  ) throws {
    StandardDescriptors.fill()
    signal(SIGPIPE, SIG_IGN)
    let sockets = try ActivatedSockets(environment: environment)
    let manager = ServiceManager(environment: environment)
    ProcessEnvironment.removeServiceVariables()
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
    let sources = SourceList(configuration.sources)
    self.sources = sources
    rides = RideObserver(sources)
    engineLoop = EngineLoop(
      sources, driftLimit: configuration.driftLimit, latency: configuration.latency, clock: clock, on: loop, log: log)
    engineLoop.hasSensors = !configuration.sensors.isEmpty
    server = Server(configuration, sources, to: engineLoop, rides: rides, clock: clock, on: loop, log: log)
    server.sensors = SourceList(configuration.sensors, from: 1 << 30)
    clock.waitsForClients = clock.isStepped
    time = TimeObserver(configuration.chronySocketPath, clock: clock, log: log)
    service = manager.map { ServiceReporter(to: $0, sources, on: loop) }
    engineLoop.observers = [
      server, rides, time, SourceLog(sources, log: log),
      RiddenWayFinder(for: engineLoop) { [rides] in rides.recorder?.directory },
    ]
    if let service { engineLoop.observers.append(service) }
    // Before the sockets are bound: an early signal must not leave a socket file behind.
    signals = try ProcessSignals([SIGTERM, SIGINT, SIGHUP], on: loop)
    // TCP first: if its port is taken, no socket file is left behind.
    let tcp = sockets.tcp.isEmpty ? try Listener.sockets(on: configuration.tcpAddresses) : sockets.tcp
    server.servesGPSD = !tcp.isEmpty
    var listeners = tcp.map { [server] in Listener($0, .gpsd, server: server, on: loop) }
    // The main socket is bound last: a client that can connect to it finds the others bound.
    let unix: [(socket: Int32?, path: String?, dialect: Dialect)] = [
      (sockets.nmea, configuration.nmeaSocketPath, .nmea), (sockets.location, configuration.socketPath, .handlebar),
    ]
    do throws(ListeningError) {
      for (socket, path, dialect) in unix {
        if let socket {
          listeners.append(Listener(socket, dialect, server: server, on: loop))
        } else if let path {
          let (socket, path) = try UnixSocketPath.listen(
            at: path, mode: configuration.socketMode, group: configuration.socketGroup)
          listeners.append(Listener(socket, at: path, dialect, server: server, on: loop))
        }
      }
    } catch {
      for listener in listeners { listener.close() }
      throw error
    }
    self.listeners = listeners
    isActivated = sockets.location != nil
    state = configuration.stateDirectory.map { StateDirectory(path: $0, log: log) }
    targets = state.map { TargetKeeper($0) }
    courses = state.map { CourseKeeper($0) }
    positions = state.map { [sources] in PositionKeeper($0, sources) }
    trips = state.map { TripKeeper(in: $0) }
    wheels = state.map { WheelKeeper(in: $0) }
    engineLoop.engine.desk.knownWheels = KnownWheels(
      given: configuration.wheelCircumference, learned: wheels?.wheels ?? [])
    let splitStop = configuration.ridePolicy.splitStop.inSeconds
    engineLoop.engine.desk.trips =
      trips?.restored(recordings: configuration.recordDirectory, splitStop: splitStop)
      ?? TripTable(splitStop: splitStop)
    server.positions = positions
    if let targets, let courses, let positions, let trips, let wheels {
      engineLoop.observers += [targets, courses, positions, trips, wheels]
    }
  }

  private func start(endsWithInput: Bool) {
    signals.onSignal = { number in
      if number == SIGHUP { self.reload() } else { self.stop("stopping", ["SIGNAL": "\(number)"]) }
    }
    if endsWithInput { lifeline = Lifeline(on: loop) { [unowned self] in stop("stopping: end of standard input") } }
    guard !isStopping else { return }
    startRecorder(recording: configuration.recordsFromStart)
    targets?.restore(into: engineLoop, recording: rides)
    courses?.restore(into: engineLoop, recording: rides)
    for source in sources.all + server.sensors.all { source.transport = makeTransport(of: source) }
    server.onListenerLost = { [unowned self] error in self.fail(error) }
    if let error = server.listenerFailure { return fail(error) }
    log.info("ready", metadata: isActivated ? [:] : ["SOCKET": "\(configuration.socketPath)"])
    service?.notifyReady(engineLoop.engine)
    for source in sources.all + server.sensors.all { source.transport?.start() }
  }

  func startRecorder(recording: Bool) {
    guard let directory = configuration.recordDirectory else { return }
    let recorder = Recorder(
      directory: directory, policy: configuration.ridePolicy, sources: configuration.sources, clock: engineLoop.clock,
      on: loop, log: log)
    recorder.onChange = { [unowned server] in server.recordingDidChange() }
    recorder.wheels = { [unowned engineLoop] in engineLoop.engine.desk.knownWheels }
    rides.recorder = recorder
    if recording { recorder.start() }
  }

  func makeTransport(of source: ConfiguredSource) -> any ReceiverSource {
    source.uri.kind.source(
      SourceInlet(source, into: engineLoop),
      in: SourceWorkshop(memory: memory, serialLines: serialLines))
  }

  private var memory: ReceiverMemory {
    var memory = ReceiverMemory()
    memory.state = state
    memory.lastKnown = { [engineLoop, positions] in
      let now = engineLoop.clock.now
      guard let fix = engineLoop.engine.desk.newestMeasured else { return positions?.lastKnown(at: now) }
      // A simulated place is no receiver's.
      return engineLoop.engine.isLive(fix.source) ? LastKnown(fix, age: now - fix.fix.received, source: nil) : nil
    }
    return memory
  }

  private var serialLines: SerialLines {
    let (sources, engineLoop) = (sources, engineLoop)
    return SerialLines { path in
      guard let target = Link.resolved(path) else { return nil }
      return sources.all.first { ($0.uri.kind as? SerialOptions).map { Link.resolved($0.path) } == target }
        .map { "serial:\($0.device)" }
    } open: {
      sources.all.first { source in
        source.uri.kind is SerialOptions
          && engineLoop.engine.index(of: source.id).map { engineLoop.engine.sources[$0].isOpen } == true
      }.map { "serial:\($0.device)" }
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
    service?.notifyReady(engineLoop.engine)
  }

  private func stop(_ message: Logger.Message, _ metadata: Logger.Metadata = [:]) {
    guard !isStopping else { return }
    log.info(message, metadata: metadata)
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
    let end = Self.last(of: 2) { [self] in
      signals.close()
      lifeline?.close()
      service?.end()
      loop.shutdownGracefully(queue: Self.shutdownQueue) { _ in }
    }
    // Also what a source keeps at its end is written then.
    let write = Self.last(of: sources.all.count + 1) { [self] in
      state?.stop()
      end()
    }
    for source in sources.all { source.transport?.retire(then: write) ?? write() }
    for sensor in server.sensors.all { sensor.transport?.stop() }
    for listener in listeners { listener.close() }
    server.stop(within: Self.stopTimeout, then: end)
    // Runs while the clients read.
    (rides.recorder ?? retiring)?.stop()
    positions?.write()
    courses?.finish(engineLoop.engine.desk.courses)
    trips?.write(engineLoop.engine.desk.trips, at: engineLoop.clock.now)
    wheels?.finish(engineLoop.engine)
    write()
  }

  /// A function that runs `body` at its last of `count` calls.
  private static func last(of count: Int, _ body: @escaping () -> Void) -> () -> Void {
    var left = count
    return {
      left -= 1
      if left == 0 { body() }
    }
  }
}
