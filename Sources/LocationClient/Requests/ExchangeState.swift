import GPSDProtocol

/// One question on a connection of its own: reports in, what is to be done out. Knows no socket and no clock.
///
/// A request that is answered at once is followed by `?VERSION;`: the second `VERSION` says that everything has been answered. An `ERROR` ends
/// the exchange. One that may take its time ends with the report it waits for.
struct ExchangeState {
  /// What ends the exchange.
  enum End: Hashable {
    /// The answer to the `?VERSION;` behind the requests.
    case version
    /// A position.
    case position
  }

  enum Action: Hashable {
    case none
    case send([Request])
    case succeed([Reply])
    case fail(LocationClientError)
  }

  /// Most reports that are kept: a daemon that never stops talking does not fill the memory.
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
    case (.greeting, _): return failed(.protocolViolation("a report came before VERSION"))
    case (.asked, .version) where end == .version: return succeeded()
    case (.asked, .tpv(let tpv)) where end == .position && tpv.mode >= 2:
      replies.append(reply)
      return succeeded()
    case (.asked, _):
      guard replies.count < Self.maximumReplies else { return failed(.protocolViolation("the answer has no end")) }
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
