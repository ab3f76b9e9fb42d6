import GPSDProtocol
import NIOCore
import NIOPosix

extension LocationClient {
  /// Sends requests on a new connection, and returns every reply up to the end.
  func exchange(
    _ requests: [Request], until end: ExchangeState.End = .version, within limit: Duration = .seconds(5)
  ) async throws(LocationClientError) -> [Reply] {
    var requests = requests
    if case .tcp = endpoint {
      // A TCP port has the additions only after this.
      requests.insert(.additions, at: 0)
    }
    let exchange = Exchange(endpoint: endpoint, state: ExchangeState(requests: requests, end: end))
    do {
      return try await withTaskCancellationHandler {
        try await exchange.run(within: limit).get()
      } onCancel: {
        exchange.cancel()
      }
    } catch {
      throw LocationClientError(connecting: error, to: endpoint)
    }
  }
}

extension Request {
  /// Turns the additions to gpsd's protocol on, without a subscription.
  static var additions: Request {
    var watch = WatchRequest()
    watch.enable = false
    watch.handlebar = true
    return .watch(watch)
  }
}

/// An exchange on an event loop: the channel and the time limit that `ExchangeState` decides about.
private final class Exchange: Sendable {
  private let endpoint: Endpoint
  private let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
  private let state: NIOLoopBoundBox<ExchangeState>
  private let result: EventLoopPromise<[Reply]>

  init(endpoint: Endpoint, state: ExchangeState) {
    self.endpoint = endpoint
    self.state = .makeBoxSendingValue(state, eventLoop: eventLoop)
    result = eventLoop.makePromise()
  }

  func run(within limit: Duration) -> EventLoopFuture<[Reply]> {
    eventLoop.execute { self.start(within: limit) }
    return result.futureResult
  }

  func cancel() { eventLoop.execute { self.perform(self.state.value.failed(.cancelled), on: nil) } }

  private func start(within limit: Duration) {
    let timer = eventLoop.scheduleTask(in: TimeAmount(limit)) {
      self.perform(self.state.value.failed(.timedOut(lastKnown: nil)), on: nil)
    }
    let opening = endpoint.connect(on: eventLoop) { channel in
      let handler = ReportHandler { result in
        switch result {
        case .success(let reply): self.perform(self.state.value.received(reply), on: channel)
        case .failure(let error): self.perform(self.state.value.failed(.protocolViolation(error.words)), on: channel)
        }
      } ended: { error in
        let cause = error.map { LocationClientError(connecting: $0, to: self.endpoint) } ?? .closed
        self.perform(self.state.value.failed(cause), on: nil)
      }
      try channel.pipeline.syncOperations.addHandler(handler)
    }
    opening.whenFailure { error in
      self.perform(self.state.value.failed(LocationClientError(connecting: error, to: self.endpoint)), on: nil)
    }
    result.futureResult.whenComplete { _ in
      timer.cancel()
      opening.whenSuccess { $0.close(promise: nil) }
    }
  }

  private func perform(_ action: ExchangeState.Action, on channel: (any Channel)?) {
    switch action {
    case .none: break
    case .send(let requests): channel?.send(requests)
    case .succeed(let replies): result.succeed(replies)
    case .fail(let error): result.fail(error)
    }
  }
}

/// The state machine of requests on a connection of their own, without socket and clock. Immediate answers end with the
/// second `VERSION`, the answer to a `?VERSION;` after the requests; an `ERROR` or a delayed answer ends the exchange.
struct ExchangeState {
  enum End: Hashable {
    /// The answer to the `?VERSION;` after the requests.
    case version
    case position
  }

  enum Action: Hashable {
    case none
    case send([Request])
    case succeed([Reply])
    case fail(LocationClientError)
  }

  /// Most replies that are kept, against a daemon that never stops sending.
  static let maximumReplies = 1024

  private enum Phase {
    case greeting
    case asked
    case ended
  }

  private var phase = Phase.greeting
  private let requests: [Request]
  private let end: End
  private var replies: [Reply] = []

  init(requests: [Request], end: End) {
    self.requests = end == .version ? requests + [.version] : requests
    self.end = end
  }

  mutating func received(_ reply: Reply) -> Action {
    switch (phase, reply.report) {
    case (.ended, _): return .none
    case (_, .error(let error)): return failed(LocationClientError(error))
    case (.greeting, .version):
      phase = .asked
      return .send(requests)
    case (.greeting, _): return failed(.protocolViolation("a report arrived before VERSION"))
    case (.asked, .version) where end == .version: return succeeded()
    case (.asked, .tpv(let tpv)) where end == .position && tpv.mode >= 2:
      replies.append(reply)
      return succeeded()
    case (.asked, _):
      guard replies.count < Self.maximumReplies else { return failed(.protocolViolation("the reply does not end")) }
      replies.append(reply)
      return .none
    }
  }

  mutating func failed(_ error: LocationClientError) -> Action {
    if case .ended = phase { return .none }
    phase = .ended
    return .fail(error)
  }

  private mutating func succeeded() -> Action {
    phase = .ended
    return .succeed(replies)
  }
}
