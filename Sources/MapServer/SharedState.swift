import GPSDProtocol
import LocationClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Synchronization

/// What the connections share: the files, who may use them, and their places.
final class SharedState: Sendable {
  private struct State {
    var places = Places()
    /// Ends when every tile that was asked for before has been read.
    var reading: EventLoopFuture<Void>?
    /// Tiles that are not sent yet, the oldest first.
    var tiles: [(channel: any Channel, size: Int)] = []
  }

  /// Most bytes of tiles that are not sent yet; the largest tile is no larger.
  private static let maximumUnsent = MapTiles.maximumSize
  /// Time between two tiles, in which the processor is free for fixes and pages, however many ask for tiles.
  private static let pause = TimeAmount.milliseconds(2)
  /// A memory card can take its time. The allocator keeps what each thread frees, so there is one.
  private static let reader = {
    let pool = NIOThreadPool(numberOfThreads: 1)
    pool.start()
    return pool
  }()

  let files: PageFiles
  let tiles: MapTiles?
  let daemon: Endpoint
  private let state = Mutex(State())
  private let access = Mutex<Access?>(nil)
  /// Keeps changed secrets for the next run.
  private let keep: @Sendable (MapSecrets, _ port: Int) -> Void

  init(
    files: PageFiles, tiles: MapTiles?, daemon: Endpoint, keep: @escaping @Sendable (MapSecrets, _ port: Int) -> Void
  ) {
    self.files = files
    self.tiles = tiles
    self.daemon = daemon
    self.keep = keep
  }

  /// Whether pages may start and stop the recording.
  var allowsRecording: Bool { access.withLock { $0?.secrets != nil } }

  /// Allows requests, once the port is known.
  func open(_ access: Access) { self.access.withLock { $0 = access } }

  func verdict(_ head: HTTPRequestHead, isUpgrade: Bool = false) -> Access.Verdict {
    access.withLock { access in
      let before = access?.secrets
      let verdict = access?.verdict(head, isUpgrade: isUpgrade) ?? .refused("the map is starting")
      if let access, let secrets = access.secrets, secrets != before { keep(secrets, access.port) }
      return verdict
    }
  }

  func admitViewer(_ channel: any Channel) -> Bool { state.withLock { $0.places.admitViewer(channel) } }
  func hold(_ channel: any Channel, as hold: Places.Hold) { state.withLock { $0.places.hold(channel, as: hold) } }

  /// Reads a tile after those that were asked for before, one at a time, with a pause after each; `body` gets `nil` when
  /// there is none.
  func readTile(
    _ place: MapTile, from tiles: MapTiles, for channel: any Channel, _ body: @escaping @Sendable (ByteBuffer?) -> Void
  ) {
    let loop = channel.eventLoop
    let turn = state.withLock { $0.reading } ?? loop.makeSucceededVoidFuture()
    let reading = turn.flatMap { () -> EventLoopFuture<Void> in
      guard channel.isActive else { return loop.makeSucceededVoidFuture() }
      let tile = Self.reader.runIfActive(eventLoop: loop) { tiles.read(place) }.recover { _ in nil }
      return tile.map(body).flatMap { loop.scheduleTask(in: Self.pause) {}.futureResult }
    }
    state.withLock { $0.reading = reading }
  }

  /// Counts a tile until it is sent, and ends the connections that have taken longest to read theirs if it is too much.
  func sending(_ size: Int, to channel: any Channel) {
    let slowest = state.withLock { state in
      var unsent = state.tiles.reduce(size) { $0 + $1.size }
      let slowest = state.tiles.prefix { tile in
        defer { unsent -= tile.size }
        return unsent > Self.maximumUnsent
      }
      state.tiles.removeFirst(slowest.count)
      state.tiles.append((channel, size))
      return slowest
    }
    for tile in slowest { tile.channel.close(promise: nil) }
  }

  /// The answer to a connection is sent, or never will be.
  func sent(to channel: any Channel) { state.withLock { $0.tiles.removeAll { $0.channel === channel } } }

  func configure(_ channel: any Channel) throws {
    let (isAdmitted, displaced) = state.withLock { $0.places.admit(channel) }
    displaced?.close(promise: nil)
    guard isAdmitted else {
      channel.close(promise: nil)
      return
    }
    channel.closeFuture.whenComplete { _ in
      self.state.withLock { $0.places.remove(channel) }
      self.sent(to: channel)
    }
    let upgrader = NIOWebSocketServerUpgrader(
      maxFrameSize: RequestParser.maximumLength, automaticErrorHandling: false,
      shouldUpgrade: { channel, head in
        let isAllowed = head.uri == "/viewer" && self.verdict(head, isUpgrade: true) == .allowed
        return channel.eventLoop.makeSucceededFuture(isAllowed ? HTTPHeaders() : nil)
      },
      upgradePipelineHandler: { channel, _ in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers([
            FrameRules(),
            NIOWebSocketFrameAggregator(
              minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: FrameRules.maximumFragments,
              maxAccumulatedFrameSize: RequestParser.maximumLength),
            ViewerHandler(self),
          ])
        }
      })
    let pipeline = channel.pipeline.syncOperations
    // Heads of browsers are of one or two kilobytes.
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = 8192
    limits.maxHeaderListSize = 16_384
    limits.maxHeaderFieldCount = 64
    try pipeline.configureHTTPServerPipeline(
      withServerUpgrade: (
        upgraders: [upgrader],
        completionHandler: { $0.pipeline.removeHandler(name: PageHandler.name, promise: nil) }
      ),
      withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
    try pipeline.addHandler(PageHandler(self), name: PageHandler.name)
  }
}
