import GPSDProtocol
import LocationClient
import NIOCore
import NIOHTTP1
import NIOWebSocket
import Synchronization

/// What the connections are served from: the files and the daemon, who may use them, and the places there are.
final class MapService: Sendable {
  /// Bytes of a viewer's frames in one turn of the loop: a read full of pings, the smallest, is no long one.
  private static let viewerReadSize = 512

  let files: PageFiles
  let tiles: TileReader?
  let daemon: Endpoint
  let trail = RideTrail()
  let places = Mutex(Places())
  private let access = Mutex<Access?>(nil)
  private let keep: @Sendable (MapSecrets, _ port: Int) -> Void

  init(
    files: PageFiles, tiles: MapTiles?, daemon: Endpoint, keep: @escaping @Sendable (MapSecrets, _ port: Int) -> Void
  ) {
    self.files = files
    self.tiles = tiles.map { TileReader($0) }
    self.daemon = daemon
    self.keep = keep
  }

  var allowsControl: Bool { access.withLock { $0?.secrets != nil } }

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

  func configure(_ channel: any Channel) throws {
    let (isAdmitted, displaced) = places.withLock { $0.admit(channel) }
    displaced?.close(promise: nil)
    guard isAdmitted else {
      channel.close(promise: nil)
      return
    }
    channel.closeFuture.whenComplete { _ in
      self.places.withLock { $0.remove(channel) }
      self.tiles?.sent(to: channel)
    }
    let upgrader = NIOWebSocketServerUpgrader(
      maxFrameSize: RequestParser.maximumLength, automaticErrorHandling: false,
      shouldUpgrade: { channel, head in
        let isAllowed = head.uri == "/viewer" && self.verdict(head, isUpgrade: true) == .allowed
        return channel.eventLoop.makeSucceededFuture(isAllowed ? HTTPHeaders() : nil)
      },
      upgradePipelineHandler: { channel, _ in
        channel.eventLoop.makeCompletedFuture {
          try channel.syncOptions?.setOption(
            .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.viewerReadSize))
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
