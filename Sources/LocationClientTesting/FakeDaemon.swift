import GPSDProtocol
import Libc
import LocationClient
import LocationCore
import NIOCore
import NIOPosix
import Synchronization

/// A daemon in the process of a test, for programs that use `LocationClient`: a real socket in a directory of its own.
///
/// It implements the daemon's protocol, and decides about follow mode as the daemon does; the test decides what
/// happens:
///
///     let daemon = try FakeDaemon()
///     try await daemon.start()
///     let updates = try daemon.client.updates(Subscription(distanceFilter: 0))
///     daemon.send(Position(coordinate: home, speed: 5, course: 90))
///
/// What it sends is received as an equal value, rounded as by the daemon: 1e-9° of coordinates, 0.1 mm of altitudes,
/// 0.1° of satellites, dilutions and the magnetic variation to 0.01 and 0.1°, whole seconds of `timeRemaining`,
/// otherwise 0.001; an altitude above the ellipsoid follows from the other two, and counters are not sent. A position
/// goes to every subscriber whatever its distance filter is, and is in the snapshot of later ones, as are the newest
/// satellites and states. So no heartbeat is ever due; a test sends one as a position of that reason. What no snapshot
/// has, such as an error, waits for the first subscriber. `LOCATE` is answered with a position that is not too old, or
/// fails at once. Targets are watched as the daemon does, without repetitions while moving. Trips start, end and count
/// laps, a recording that plays is paused and sought, and rides are recorded; their figures are those that the test
/// sends. Every other request is answered by what was sent, or as the test sets.
public final class FakeDaemon: Sendable {
  static let release = "9.9"
  package static let version =
    #"{"class":"VERSION","release":"\#(release)","rev":"test","proto_major":3,"proto_minor":14}"#
  /// The views that were reported, in order. One consumer only.
  public let viewReports: AsyncStream<ViewRequest>
  package let received = Mutex<[Request]>([])
  private let directory: String
  private let newViewReport: AsyncStream<ViewRequest>.Continuation
  private let clock: ClientClock
  private let script: Mutex<FakeScript>
  private let delay = Mutex(Duration.zero)
  private let channels = Mutex<[(client: ClientID, channel: any Channel)]>([])
  private let clientCount = Atomic<UInt64>(0)
  private let listener = Mutex<(any Channel)?>(nil)
  /// Ends for those that wait until a client has subscribed.
  private let waiting = Mutex<[AsyncStream<Void>.Continuation]>([])
  private let greeting: [String]
  /// The answers of a test of this package, in place of `script`.
  private let answer: (@Sendable (Request) -> [String])?

  /// A daemon that is not started yet, in a new temporary directory, which is removed with it. Its time and that of its
  /// client are those of a clock.
  public convenience init(clock: any Clock<Duration> = ContinuousClock()) throws {
    try self.init(greeting: [Self.version], clock: clock, answer: nil)
  }

  package init(
    greeting: [String] = [version], clock: any Clock<Duration> = ContinuousClock(),
    answer: (@Sendable (Request) -> [String])?
  ) throws {
    directory = try Self.makeDirectory()
    self.clock = ClientClock(clock)
    script = Mutex(FakeScript(clock: self.clock))
    (viewReports, newViewReport) = AsyncStream.makeStream()
    self.greeting = greeting
    self.answer = answer
  }

  /// In `/tmp`, as the path of a socket is short, or else where an app on a phone may write.
  private static func makeDirectory() throws -> String {
    for parent in ["/tmp", getenv("TMPDIR").map { String(cString: $0) }].compactMap(\.self) {
      var template = Array("\(parent)/fake-daemon-XXXXXX".utf8CString)
      guard mkdtemp(&template) != nil else { continue }
      return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    throw IOError(errnoCode: errno, reason: "mkdtemp")
  }

  deinit {
    newViewReport.finish()
    unlink(path)
    rmdir(directory)
  }

  package var path: String { directory + "/socket" }
  /// Where it listens while it is started.
  public var endpoint: Endpoint { .unix(path: path) }
  /// A client of this daemon.
  public var client: LocationClient { LocationClient(endpoint: endpoint, clock: clock) }
  /// The requests so far, each as its line of the protocol without its end, as
  /// `?FOLLOW={"view":"main","enable":true};`.
  public var requests: [String] {
    received.withLock { $0 }.map { request in
      String(FakeScript.line { request.write(into: &$0) }.split { $0.isNewline }[0])
    }
  }
  /// Number of open connections.
  public var connections: Int { channels.withLock { $0.count } }

  /// Starts to listen.
  public func start() async throws {
    let listening = try await bootstrap.bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true).get()
    listener.withLock { $0 = listening }
  }

  /// Listens on a loopback port instead.
  package func startTCP() async throws -> Endpoint {
    let listening = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
    listener.withLock { $0 = listening }
    return .tcp(host: "127.0.0.1", port: listening.localAddress?.port ?? 0)
  }

  /// Stops listening, closes every connection, and forgets positions and views, until it is started again.
  public func stop() async throws {
    try await listener.withLock { $0 }?.close().get()
    script.withLock { $0 = FakeScript(orders: $0.orders, clock: clock) }
    disconnectClients()
  }

  /// Closes every connection, and keeps listening.
  public func disconnectClients() {
    for (_, channel) in channels.withLock({ exchange(&$0, with: []) }) { channel.close(promise: nil) }
  }

  private var bootstrap: ServerBootstrap {
    ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { [weak self] channel in
        channel.eventLoop.makeCompletedFuture {
          guard let self else { return }
          let client = self.clientCount.add(1, ordering: .relaxed).newValue
          let handler = Handler(daemon: self, client: ClientID(client), on: channel.eventLoop)
          try channel.pipeline.syncOperations.addHandler(handler)
        }
      }
  }

  /// Publishes a position. Without a `seq` it gets the next one.
  public func send(_ position: Position) { publish { $0.lines(of: position) } }
  /// Publishes the satellites in view.
  public func send(_ sky: SkyReport) { publish { $0.lines(of: sky) } }
  /// Publishes a state of the source, which is also the snapshot of those that subscribe later.
  public func send(_ state: StateReport) { publish { $0.lines(of: state) } }
  /// Publishes the state of a target.
  public func send(_ arrival: ArrivalReport) {
    publish { $0.keep(arrival, for: .question(.targets), named: arrival.name, isLast: arrival.state == .removed) }
  }
  /// Publishes the figures of a trip, which are also the snapshot of those that subscribe later, and answer `TRIP`.
  public func send(_ trip: TripReport) {
    publish { $0.keep(trip, for: .question(.trips), named: trip.name, isLast: trip.state == .ended) }
  }

  /// Publishes a reading of a sensor to those who subscribed to sensors, also later, and as an answer to `SENSOR`.
  public func send(_ sensor: SensorReport) {
    publish { $0.keep(sensor, for: .question(.sensors), named: "\(sensor.sensor) \(sensor.source ?? "")") }
  }
  /// Publishes where the rider is on a course to those who subscribed to courses, also later, and as an answer to
  /// `COURSE`.
  public func send(_ course: CourseReport) {
    publish { $0.keep(course, for: .question(.courses), isLast: course.state == .ended) }
  }
  /// Publishes the position of a recording that plays, which also answers `PLAYBACK`.
  public func send(_ playback: PlaybackReport) {
    publish { $0.once($0.keep(playback, for: .playback(nil))) }
  }
  /// Publishes the state of recording, which also answers `RECORD`; it is stopped at first.
  public func send(_ record: RecordReport) { publish { $0.once($0.keep(record, for: .record(nil))) } }
  /// Sends an error to every subscriber.
  public func send(_ error: ErrorReport) { publish { $0.once(FakeScript.line { error.write(into: &$0) }) } }
  /// Sends a line as it is, for example one that breaks the protocol.
  public func send(line: String) { publish { $0.once(line + "\r\n") } }

  /// Re-engages or releases a view, as another client's request does.
  public func setFollowing(_ following: Bool, view: String = "main") {
    publish { $0.setFollowing(following, view: view) }
  }

  /// Answers `STATUS` with this from now on.
  public func answer(with status: StatusReport) { script.withLock { $0.orders.status = status } }
  /// Answers `DEVICES` with these from now on.
  public func answer(with devices: [DeviceReport]) { script.withLock { $0.orders.devices = devices } }
  /// Answers `RECEIVER` with this from now on.
  public func answer(with receiver: ReceiverReport) { script.withLock { $0.orders.receiver = receiver } }

  /// Takes every request up this much later from now on, by its clock.
  public func delayAnswers(by delay: Duration) { self.delay.withLock { $0 = delay } }

  /// Refuses every request but subscriptions with this error from now on; `nil` refuses none.
  public func refuseRequests(with error: ErrorReport?) { script.withLock { $0.orders.refusal = error } }

  /// Returns once a client has subscribed, at once if one has, and when the task is cancelled.
  public func subscribed() async {
    let (subscription, waiter) = AsyncStream.makeStream(of: Void.self)
    waiting.withLock { $0.append(waiter) }
    endWaiting()
    for await _ in subscription {}
  }

  private func endWaiting() {
    guard script.withLock({ !$0.subscribers.isEmpty }) else { return }
    for waiter in waiting.withLock({ exchange(&$0, with: []) }) { waiter.finish() }
  }

  private func publish(_ lines: (inout FakeScript) -> String) {
    // Under the lock, so that a client that subscribes meanwhile gets the snapshot and what follows it in this order.
    script.withLock { script in
      let text = lines(&script)
      guard !text.isEmpty else { return }
      let subscribed = channels.withLock { $0.filter { script.subscribers.contains($0.client) } }
      for (client, channel) in subscribed { Self.write(script.lines(text, for: client), to: channel) }
    }
  }

  /// Writes, in order, after the caller's locks are released: a write to a closed peer calls `disconnected(_:)` first.
  private static func write(_ text: String, to channel: any Channel) {
    channel.eventLoop.execute { channel.writeAndFlush(ByteBuffer(string: text), promise: nil) }
  }

  private func connected(_ client: ClientID, _ channel: any Channel) {
    channels.withLock { $0.append((client, channel)) }
    script.withLock { $0.connected(client) }
    Self.write(greeting.map { $0 + "\r\n" }.joined(), to: channel)
  }

  private func disconnected(_ client: ClientID) {
    publish { $0.disconnected(client) }
    // A test that waits for the end of a connection may advance the clock.
    channels.withLock { $0.removeAll { $0.client == client } }
  }

  private func handle(_ request: Request, from client: ClientID, _ channel: any Channel) {
    if request == .version { return Self.write(Self.version + "\r\n", to: channel) }
    if let answer { return Self.write(answer(request).map { $0 + "\r\n" }.joined(), to: channel) }
    publish { script in
      let answer = script.answer(request, from: client)
      Self.write(answer.toClient, to: channel)
      return answer.toSubscribers
    }
    if case .watch = request { endWaiting() }
    if case .engine(.view(let view)) = request { newViewReport.yield(view) }
  }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let daemon: FakeDaemon
    private let client: ClientID
    private var parser = RequestParser()
    private let waiting: NIOLoopBoundBox<[Request]>

    init(daemon: FakeDaemon, client: ClientID, on eventLoop: any EventLoop) {
      self.daemon = daemon
      self.client = client
      waiting = .makeBoxSendingValue([], eventLoop: eventLoop)
    }

    func channelActive(context: ChannelHandlerContext) { daemon.connected(client, context.channel) }
    func channelInactive(context: ChannelHandlerContext) { daemon.disconnected(client) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let bytes = Array(unwrapInboundIn(data).readableBytesView)
      var index = 0
      while let request = try? parser.next(in: bytes.span, from: &index) { received(request, context.channel) }
    }

    private func received(_ request: Request, _ channel: any Channel) {
      let (daemon, client, waiting) = (daemon, client, waiting)
      let delay = daemon.delay.withLock { $0 }
      guard delay > .zero || !waiting.value.isEmpty else {
        daemon.received.withLock { $0.append(request) }
        return daemon.handle(request, from: client, channel)
      }
      waiting.value.append(request)
      // Whichever timer fires first, the first request is taken up first.
      daemon.clock.schedule(in: delay, on: channel.eventLoop) { [weak daemon] in
        let request = waiting.value.removeFirst()
        if channel.isActive { daemon?.handle(request, from: client, channel) }
      }
      // A test that reads it may advance the clock.
      daemon.received.withLock { $0.append(request) }
    }
  }
}
