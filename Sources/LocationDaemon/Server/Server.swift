import GPSDProtocol
import LocationCore
import Logging
import NIOCore

/// The server of location clients: turns engine events into lines and received lines into requests.
package final class Server {
  static let maxConsecutiveErrors = 16
  /// The `VERSION` for a dialect: gpsd's clients, which warn of another release than theirs, get that of the protocol.
  static func version(for dialect: Dialect) -> VersionReport {
    VersionReport(release: dialect == .gpsd ? "3.22" : Daemon.release, revision: Daemon.release)
  }

  let engine: any ClientInlet
  let sources: SourceList
  /// The sensors that the daemon reads, of numbers that no source has.
  var sensors = SourceList([])
  let rides: RideObserver
  let clock: EngineClock
  let clients: ClientRegistry
  let fixLines = FixLines()
  /// The last position of an earlier run; `nil` without a state directory.
  var positions: PositionKeeper?
  var configuration: DaemonConfiguration
  let log: Logger
  let started = EngineClock.machine
  /// gpsd's derived fields; `nil` while no client without the additions reads them, or may ask for the newest.
  var gpsdFields: GPSDFields?
  var servesGPSD = false
  var lossInstant: MonotonicInstant?
  /// UTC since when each source is open.
  var activations: [SourceID: UTCInstant] = [:]
  /// Limits `SKY` to one per second.
  var skyClock = SkyClock()
  var onListenerLost: (any Error) -> Void = { _ in }
  private(set) var listenerFailure: (any Error)?
  private var scratch = JSONLine()
  private var hasLoggedAcceptFailure = false

  package init(
    _ configuration: DaemonConfiguration, _ sources: SourceList, to engine: any ClientInlet, rides: RideObserver,
    clock: EngineClock, on loop: any EventLoop, log: Logger
  ) {
    self.configuration = configuration
    self.sources = sources
    self.engine = engine
    self.rides = rides
    self.clock = clock
    self.log = log
    fixLines.register(sources.all, newest: nil)
    clients = ClientRegistry(
      maxClients: configuration.maxClients, fixLines: fixLines, clock: clock, on: loop, log: log)
    clients.onDrain = { [unowned self] in self.engine.clientsDidDrain() }
    clients.onClose = { [unowned self] session in
      if !derivesGPSDFields { gpsdFields = nil }
      self.engine.disconnect(session.id)
    }
    clients.onResume = { [unowned self] session in
      if let bytes = session.takeDeferredInput() { receive(bytes, from: session) }
    }
    clients.onStateDue = { [unowned self] session in sendState(to: session) }
  }

  /// Sends an ERROR `stopping` to every client and closes; calls `done` when all are closed, within `timeout`.
  package func stop(within timeout: TimeAmount, then done: @escaping () -> Void) {
    clients.closeAll(
      sending: line { ErrorReport(message: "the daemon is stopping", code: .stopping).write(into: &$0) },
      within: timeout,
      then: done)
  }

  /// Registers an accepted connection; `nil` when the client limit is reached.
  func accept(_ channel: any Channel, dialect: Dialect) -> ClientSession? {
    hasLoggedAcceptFailure = false
    let session: ClientSession
    do throws(AdmissionRefusal) {
      session = try clients.admit(channel, dialect: dialect)
    } catch {
      let refusal = ErrorReport(message: "\(error)", code: .tooManyClients)
      // The NMEA socket carries sentences only.
      if dialect != .nmea { channel.writeAndFlush(line { refusal.write(into: &$0) }, promise: nil) }
      channel.close(promise: nil)
      return nil
    }
    if clock.waitsForClients {
      // Nothing becomes stale on recorded time: a larger buffer avoids waiting.
      try? channel.syncOptions?.setOption(.socketOption(.so_sndbuf), value: 1 << 18)
    }
    engine.turn(at: nil) { _ in
      engine.connect(session.id, of: session.enginePeer)
      if dialect == .nmea { return }
      session.enqueue(line { Self.version(for: dialect).write(into: &$0) })
    }
    return session
  }

  func receive(_ bytes: ByteBuffer, from session: ClientSession) {
    // Input on the NMEA socket is ignored.
    if session.dialect == .nmea || session.isClosing { return }
    if session.dialect == .gpsd { session.lastInput = session.channel.eventLoop.now }
    guard session.canAcceptRequest else { return session.deferInput(bytes) }
    engine.turn(at: nil) { instant in
      bytes.withUnsafeReadableBytes { buffer in
        let span = Span<UInt8>(_unsafeBytes: buffer)
        var index = 0
        while !session.isClosing, index < span.count {
          guard session.canAcceptRequest else { return session.deferInput(ByteBuffer(bytes: buffer[index...])) }
          do throws(RequestError) {
            guard let request = try session.parser.next(in: span, from: &index) else { break }
            session.consecutiveErrors = 0
            handle(request, from: session, at: instant)
          } catch {
            refuse(error, to: session)
          }
        }
      }
    }
  }

  /// Logs that a client cannot be accepted for lack of descriptors or memory; it waits in the kernel.
  func didFailToAccept(_ error: any Error) {
    guard !hasLoggedAcceptFailure else { return }
    hasLoggedAcceptFailure = true
    log.error("cannot accept clients for now: \(error)")
  }

  func listenerFailed(_ error: any Error) {
    log.critical("cannot accept clients: \(error)")
    listenerFailure = error
    onListenerLost(error)
  }

  func warnIfPublic(_ address: SocketAddress?) {
    guard let address = NetworkAddress(address), !address.isLocal else { return }
    let control = configuration.tcpControl == true ? " and control the daemon" : ""
    log.warning(
      "every machine that reaches this address can read the position\(control)", metadata: ["TCP": "\(address)"])
  }

  func line(_ write: (inout JSONLine) -> Void) -> ByteBuffer {
    scratch.removeAll()
    write(&scratch)
    return ByteBuffer(bytes: scratch.bytes)
  }

  private func refuse(_ error: RequestError, to session: ClientSession) {
    if error.isForeignProtocol {
      clients.counters.foreignProtocols += 1
      return session.close(reason: error.message)
    }
    clients.counters.badRequests += 1
    session.consecutiveErrors += 1
    session.enqueue(line { ErrorReport(error).write(into: &$0) })
    if session.consecutiveErrors >= Self.maxConsecutiveErrors {
      session.closeAfterFlush(reason: "\(Self.maxConsecutiveErrors) malformed requests in a row")
    }
  }

  /// Applies limits, the default filter and the latency. Clients that use what has changed receive a `WATCH` with it.
  package func apply(_ new: DaemonConfiguration) {
    let old = configuration
    configuration = new
    clients.maxClients = new.maxClients
    engine.turn(at: nil) { _ in
      for session in clients.sessions {
        let takesFilter =
          new.distanceFilter != old.distanceFilter && session.usesDefaultFilter && session.dialect == .handlebar
        if takesFilter {
          session.watch.distanceFilter = new.distanceFilter
          session.feed?.setDistance(new.distanceFilter)
        }
        guard let feed = session.feed, takesFilter || feed.usesAdditions && new.latency != old.latency else { continue }
        session.enqueue(line { watchReport(of: session).write(into: &$0) })
      }
    }
  }

  package func sourcesDidChange() {
    activations = activations.filter { sources[$0.key] != nil }
    engine.turn(at: nil) { _ in
      engine.read { engine in
        fixLines.register(sources.all, newest: engine.desk.newest)
        for session in clients.sessions where session.watch.enable && session.watch.json == true {
          session.enqueue(line { devicesReport(for: session, engine).write(into: &$0) })
        }
      }
    }
  }
}

final class ClientHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  private let server: Server
  private let dialect: Dialect
  private var session: ClientSession?

  init(server: Server, dialect: Dialect) {
    self.server = server
    self.dialect = dialect
  }

  func channelActive(context: ChannelHandlerContext) { session = server.accept(context.channel, dialect: dialect) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard let session else { return }
    server.receive(unwrapInboundIn(data), from: session)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    session?.close(reason: nil)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    session?.close(reason: nil)
    session = nil
  }
}
