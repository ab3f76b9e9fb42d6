import GPSDProtocol
import NIOCore
import NIOPosix

extension LocationClient {
  /// Asks on a new connection and returns everything that came until the end.
  func exchange(
    _ requests: [Request], until end: ExchangeState.End = .version, within limit: Duration = .seconds(5)
  ) async throws(LocationClientError) -> [Reply] {
    var requests = requests
    if case .tcp = endpoint {
      // The port for gpsd's clients knows the additions only after this.
      var watch = WatchRequest()
      watch.enable = false
      watch.handlebar = true
      requests.insert(.watch(watch), at: 0)
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

/// Runs `ExchangeState` on an event loop.
private final class Exchange: Sendable {
  private let endpoint: Endpoint
  private let eventLoop: any EventLoop
  private let state: NIOLoopBoundBox<ExchangeState>
  private let result: EventLoopPromise<[Reply]>

  init(endpoint: Endpoint, state: ExchangeState) {
    self.endpoint = endpoint
    eventLoop = MultiThreadedEventLoopGroup.singleton.next()
    self.state = .makeBoxSendingValue(state, eventLoop: eventLoop)
    result = eventLoop.makePromise()
  }

  func run(within limit: Duration) -> EventLoopFuture<[Reply]> {
    eventLoop.execute { self.start(within: limit) }
    return result.futureResult
  }

  func cancel() {
    eventLoop.execute { self.perform(self.state.value.failed(.cancelled), on: nil) }
  }

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
    case .send(let requests):
      var line = JSONLine(capacity: 256)
      for request in requests { request.write(into: &line) }
      channel?.writeAndFlush(ByteBuffer(bytes: line.bytes), promise: nil)
    case .succeed(let replies): result.succeed(replies)
    case .fail(let error): result.fail(error)
    }
  }
}
