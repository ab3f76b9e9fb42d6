import GPSDProtocol
import NIOCore
import NIOPosix
import Synchronization

/// A subscribed connection on an event loop: the channel and timers that `ConnectionState` decides about.
final class SubscribedConnection: Sendable {
  /// Longest wait for the daemon's first line.
  private static let greetingTimeout = Duration.seconds(5)
  let mailbox = UpdateMailbox()
  let poses: PoseTracker
  private let endpoint: Endpoint
  private let clock: ClientClock
  private let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
  /// Of the wait before the next attempt, or for the greeting.
  private let timer: NIOLoopBoundBox<Task<Void, Never>?>
  private let eachReply: (@Sendable (Reply) -> Void)?
  private let state: NIOLoopBoundBox<ConnectionState>
  /// The open channel, and whether it is subscribed, for `send` and `cancel` from any thread.
  private let live = Mutex<(channel: any Channel, isSubscribed: Bool)?>(nil)

  init(_ client: LocationClient, _ subscription: Subscription, eachReply: (@Sendable (Reply) -> Void)?) {
    endpoint = client.endpoint
    clock = client.clock
    poses = PoseTracker(clock: client.clock)
    self.eachReply = eachReply
    timer = .makeBoxSendingValue(nil, eventLoop: eventLoop)
    state = .makeBoxSendingValue(ConnectionState(subscription: subscription), eventLoop: eventLoop)
  }

  func start() { eventLoop.execute { self.perform(self.state.value.wake(), on: nil) } }

  func cancel() {
    mailbox.finish()
    // On the event loop, where a connection that is being made either is open by now or is closed when it is.
    eventLoop.execute {
      self.state.value.cancel()
      self.timer.value?.cancel()
      self.live.withLock { $0?.channel }?.close(promise: nil)
    }
  }

  /// Sends a request; false without a subscribed and writable channel. Safe from any thread.
  func send(_ request: Request) -> Bool {
    guard let (channel, isSubscribed) = live.withLock({ $0 }), isSubscribed, channel.isWritable else { return false }
    let state = state
    if case .engine(.view(let view)) = request { eventLoop.execute { state.value.reported(view: view.view) } }
    channel.send([request])
    return true
  }

  /// Changes what belongs to the connection, from any thread; it is sent now, or when there is a connection.
  func change(_ request: EngineRequest) {
    eventLoop.execute { self.perform(self.state.value.change(request), on: self.live.withLock { $0?.channel }) }
  }

  private func perform(_ actions: [ConnectionState.Action], on channel: (any Channel)?) {
    for action in actions {
      switch action {
      case .connect: connect()
      case .send(let request):
        guard let channel else { continue }
        channel.send([request])
        live.withLock { $0 = (channel, true) }
      case .deliver(let update):
        poses.add(update)
        mailbox.push(update)
      case .close: channel?.close(promise: nil)
      case .wait(let duration):
        setTimer(in: duration) { $0.perform($0.state.value.wake(), on: nil) }
      }
    }
  }

  private func setTimer(in duration: Duration, _ body: @escaping @Sendable (SubscribedConnection) -> Void) {
    timer.value?.cancel()
    timer.value = clock.schedule(in: duration, on: eventLoop) { [weak self] in
      if let self { body(self) }
    }
  }

  private func connect() {
    let opening = endpoint.connect(on: eventLoop) { [weak self] channel in
      let handler = ReportHandler { result in
        guard let self else { return }
        switch result {
        case .success(let reply):
          self.eachReply?(reply)
          if case .watch(let watch) = reply.report, let latency = watch.latency { self.poses.set(latency: latency) }
          self.perform(self.state.value.received(reply.report, at: self.clock.now), on: channel)
        case .failure(let error): self.fail(error, on: channel)
        }
      } ended: { error in
        self?.disconnected(error)
      }
      try channel.pipeline.syncOperations.addHandler(handler)
    }
    opening.assumeIsolated().whenComplete { [weak self] result in
      guard let self else {
        if case .success(let channel) = result { channel.close(promise: nil) }
        return
      }
      switch result {
      case .success(let channel): greet(channel)
      case .failure(let error): lose(LocationClientError(connecting: error, to: endpoint))
      }
    }
  }

  private func greet(_ channel: any Channel) {
    guard state.value.phase == .connecting else {
      channel.close(promise: nil)
      return
    }
    live.withLock { $0 = (channel, false) }
    state.value.connected()
    setTimer(in: Self.greetingTimeout) { [weak channel] connection in
      guard let channel, case .greeting = connection.state.value.phase, channel.isActive else { return }
      let mute = EndpointState.mute(.init(at: connection.endpoint)).error(at: connection.endpoint)
      connection.perform(connection.state.value.failed(mute), on: channel)
    }
  }

  private func fail(_ error: ReportError, on channel: any Channel) {
    var failure = LocationClientError.protocolViolation(error.words)
    if case .greeting = state.value.phase { failure = EndpointState.foreign(.init(at: endpoint)).error(at: endpoint) }
    perform(state.value.failed(failure), on: channel)
  }

  private func disconnected(_ error: (any Error)?) {
    live.withLock { $0 = nil }
    lose(error.map { LocationClientError(connecting: $0, to: endpoint) } ?? .closed)
  }

  private func lose(_ cause: LocationClientError) {
    perform(state.value.disconnected(cause, random: .random(in: 0...1)), on: nil)
  }
}
