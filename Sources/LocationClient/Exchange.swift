import GPSDProtocol
import NIOCore
import NIOPosix

extension LocationClient {
  /// Sends requests on a new connection, and returns every reply up to the end.
  func exchange(
    _ requests: [Request], until end: ExchangeState.End = .version, within limit: Duration = .seconds(5)
  ) async throws(LocationClientError) -> [Reply] {
    for request in requests { try LocationClientError.check(request) }
    var requests = requests
    if case .tcp = endpoint {
      // A TCP port has the additions only after this.
      requests.insert(.additions, at: 0)
    }
    let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
    let state = NIOLoopBoundBox.makeBoxSendingValue(
      ExchangeState(requests: requests, end: end), eventLoop: eventLoop)
    let result = eventLoop.makePromise(of: [Reply].self)
    /// On the event loop.
    @Sendable func perform(_ action: ExchangeState.Action, on channel: (any Channel)? = nil) {
      switch action {
      case .none: break
      case .send(let requests): channel?.send(requests)
      case .succeed(let replies): result.succeed(replies)
      case .fail(let error): result.fail(error)
      }
    }
    let timer = clock.schedule(in: limit, on: eventLoop) { [endpoint] in
      perform(state.value.failed(state.value.silence(.init(at: endpoint)).error(at: endpoint)))
    }
    let opening = endpoint.connect(on: eventLoop) { [endpoint] channel in
      let handler = ReportHandler { result in
        switch result {
        case .success(let reply): perform(state.value.received(reply), on: channel)
        case .failure(let error) where state.value.isGreeted:
          perform(state.value.failed(.protocolViolation(error.words)))
        case .failure: perform(state.value.failed(EndpointState.foreign(.init(at: endpoint)).error(at: endpoint)))
        }
      } ended: { error in
        perform(state.value.failed(error.map { LocationClientError(connecting: $0, to: endpoint) } ?? .closed))
      }
      try channel.pipeline.syncOperations.addHandler(handler)
    }
    opening.whenFailure { [endpoint] error in
      perform(state.value.failed(LocationClientError(connecting: error, to: endpoint)))
    }
    result.futureResult.whenComplete { _ in
      timer.cancel()
      opening.whenSuccess { $0.close(promise: nil) }
    }
    do {
      return try await withTaskCancellationHandler {
        try await result.futureResult.get()
      } onCancel: {
        eventLoop.execute { perform(state.value.failed(.cancelled)) }
      }
    } catch {
      throw LocationClientError(connecting: error, to: endpoint)
    }
  }
}

extension Request {
  /// Turns the additions to gpsd's protocol on, without a subscription.
  static var additions: Request {
    var watch = WatchRequest(enable: false)
    watch.handlebar = true
    return .watch(watch)
  }
}

/// The state machine of requests on a connection of their own, without socket and clock. Immediate answers end with the
/// second `VERSION`, the answer to a `?VERSION;` after the requests; an `ERROR` or a delayed answer ends the exchange.
struct ExchangeState {
  enum End: Hashable {
    /// The answer to the `?VERSION;` after the requests.
    case version
    case position
    /// The same as `version` for the state of a view, reported as showing the newest fix. Reported first without a
    /// number, as the first report on a connection counts only with a fix that was published before it.
    case view(ViewRequest)
    /// The last piece of a course; each of the others is followed by a request for the next.
    case lastPiece
  }

  enum Action: Hashable {
    case none
    case send([Request])
    case succeed([Reply])
    case fail(LocationClientError)
  }

  /// Most replies that are kept, against a daemon that never stops sending.
  static let maximumReplies = 2048

  private enum Phase {
    case greeting
    case asked
    case ended
  }

  private var phase = Phase.greeting
  private let requests: [Request]
  private var end: End
  private var replies: [Reply] = []

  init(requests: [Request], end: End) {
    self.end = end
    self.requests =
      switch end {
      case .version: requests + [.version]
      case .position, .lastPiece: requests
      case .view(let view): requests + [.engine(.view(view)), .engine(.locate(timeout: 0, maxAge: 3600))]
      }
  }

  mutating func received(_ reply: Reply) -> Action {
    if case .asked = phase, let next = located(reply.report) { return next }
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
      guard end == .lastPiece, case .coursePiece(let report) = reply.report else { return .none }
      guard let next = report.piece.next else { return succeeded() }
      return .send([.question(.coursePiece(CoursePieceRequest(name: report.piece.name, from: next)))])
    }
  }

  /// What follows the answer to `LOCATE` for a view: the report with that fix's number, if there is one, and the end.
  private mutating func located(_ report: Report) -> Action? {
    guard case .view(var view) = end else { return nil }
    switch report {
    case .tpv(let tpv): view.seq = tpv.seq
    case .error(let error) where error.request == "LOCATE": break
    default: return nil
    }
    end = .version
    return .send((view.seq == nil ? [] : [.engine(.view(view))]) + [.question(.follow(view: view.view)), .version])
  }

  var isGreeted: Bool { if case .greeting = phase { false } else { true } }

  func silence(_ peer: EndpointState.Peer) -> EndpointState { isGreeted ? .unanswered(peer) : .mute(peer) }

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
