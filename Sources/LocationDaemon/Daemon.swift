import Glibc
import LocationCore
import Logging
import NIOCore
import NIOPosix

/// The running daemon: everything that was built, started in one order and stopped in the reverse one.
package final class Daemon {
  /// The release that is told to clients.
  package static let release = "0.1.0"

  private let configuration: DaemonConfiguration
  private let loop: any EventLoop
  private let log: Logger
  private let pipeline: Pipeline
  private let publisher: Publisher
  private let listener: UnixListener
  private let tcpListeners: [TCPListener]
  private let nmeaListener: UnixListener?
  private let early: EarlySignals
  private let signals: SignalPipe
  private var isStopping = false

  /// Runs on the calling thread until told to stop by SIGTERM or SIGINT.
  package static func run(_ configuration: DaemonConfiguration, log: Logger) throws {
    StandardDescriptors.fill()
    signal(SIGPIPE, SIG_IGN)
    var failure: (any Error)?
    MultiThreadedEventLoopGroup.withCurrentThreadAsEventLoop { loop in
      do {
        let daemon = try Daemon(configuration, on: loop, log: log)
        daemon.start()
      } catch {
        failure = error
        loop.shutdownGracefully { _ in }
      }
    }
    if let failure { throw failure }
  }

  private init(_ configuration: DaemonConfiguration, on loop: any EventLoop, log: Logger) throws {
    self.configuration = configuration
    self.loop = loop
    self.log = log
    let clock = PipelineClock()
    if configuration.hasVirtualTime {
      clock.startStepping(at: .zero)
    } else if configuration.waitsForFirstClient {
      // Recorded time does not pass before the recording starts.
      clock.run(rate: 0)
    }
    pipeline = try Pipeline(configuration, clock: clock, on: loop, log: log)
    publisher = Publisher(configuration, pipeline: pipeline, on: loop, log: log)
    // Before anyone can know that this process is there: a signal that comes early must not leave the socket behind.
    early = EarlySignals()
    let early = early
    signals = try SignalPipe([SIGTERM, SIGINT, SIGHUP], on: loop) { number in early.take(number) }
    // First of the sockets: when its port is taken no socket file is left behind.
    tcpListeners = try TCPListener.listen(on: configuration.tcpAddresses, publisher: publisher, loop: loop)
    let bind = { [publisher] (path: String, dialect: Dialect) throws(UnixSocketPath.Failure) in
      try UnixListener(
        path: path, mode: configuration.socketMode, group: configuration.socketGroup, dialect: dialect,
        publisher: publisher, on: loop)
    }
    // The main socket comes last: who can connect to it finds the others bound.
    let nmeaListener: UnixListener? = if let path = configuration.nmeaSocketPath { try bind(path, .nmea) } else { nil }
    self.nmeaListener = nmeaListener
    do throws(UnixSocketPath.Failure) {
      listener = try bind(configuration.socketPath, .handlebar)
    } catch {
      nmeaListener?.close()
      throw error
    }
  }

  private func start() {
    early.handle { number in self.stop(signal: number) }
    if let directory = configuration.recordDirectory {
      let recorder = Recorder(
        directory: directory, policy: configuration.ridePolicy, sources: configuration.sources, clock: pipeline.clock,
        on: loop, log: log)
      recorder.onChange = { [unowned publisher] in publisher.recordingDidChange() }
      pipeline.recorder = recorder
      if configuration.recordsFromStart { recorder.start() }
    }
    for lane in pipeline.lanes { lane.source = makeSource(for: lane) }
    log.info("ready", metadata: ["SOCKET": "\(configuration.socketPath)"])
    for lane in pipeline.lanes { lane.source?.start() }
  }

  private func makeSource(for lane: Lane) -> any ReceiverSource {
    switch lane.uri {
    case .serial(let options): SerialSource(options, sink: lane, on: loop, log: log)
    case .gpsd(let options): GPSDSource(options, sink: lane, on: loop, log: log)
    case .tcp(let options): TCPSource(options, sink: lane, on: loop)
    case .udp(let options): UDPSource(options, sink: lane, on: loop)
    case .recording(let options):
      RecordingSource(options, lane: lane, pipeline: pipeline, publisher: publisher, on: loop, log: log)
    }
  }

  private func stop(signal: Int32) {
    if signal == SIGHUP {
      log.notice("the configuration is read at the start only; start anew to change it")
      return
    }
    guard !isStopping else { return }
    isStopping = true
    log.info("stopping", metadata: ["SIGNAL": "\(signal)"])
    for lane in pipeline.lanes { lane.source?.stop() }
    publisher.stop()
    listener.close()
    nmeaListener?.close()
    for listener in tcpListeners { listener.close() }
    pipeline.recorder?.stop()
    signals.close()
    loop.shutdownGracefully { _ in }
  }
}
