import NIOCore
import NIOPosix
import Synchronization

/// Reads tiles for the connections, the first that asked first.
final class TileReader: Sendable {
  private struct State {
    /// Ends when every tile that was asked for before has been read.
    var reading: EventLoopFuture<Void>?
    /// Tiles that are not sent yet, the oldest first.
    var unsent: [(channel: any Channel, size: Int)] = []
  }

  /// Most bytes of tiles that are not sent yet; the largest tile is no larger.
  private static let maximumUnsent = MapTiles.maximumSize
  /// Shortest time between two tiles, in which the processor is free for fixes and pages, however many ask for tiles.
  private static let pause = TimeAmount.milliseconds(2)
  /// Bytes of a tile that make the pause after it a microsecond long: a map never takes much of the processor.
  private static let pace = 16
  /// A memory card can take its time. The allocator keeps what each thread frees, so there is one.
  static let reader = {
    let pool = NIOThreadPool(numberOfThreads: 1)
    pool.start()
    return pool
  }()

  private let tiles: MapTiles
  private let state = Mutex(State())

  init(_ tiles: MapTiles) { self.tiles = tiles }

  /// Reads a tile after those asked for before, with a pause after each; `body` gets `nil` when there is none.
  func read(
    _ place: MapTile, for channel: any Channel, _ body: @escaping @Sendable (ByteBuffer?) -> Void
  ) {
    let loop = channel.eventLoop
    let turn = state.withLock { $0.reading } ?? loop.makeSucceededVoidFuture()
    let tiles = tiles
    let reading = turn.flatMap { () -> EventLoopFuture<Void> in
      guard channel.isActive else { return loop.makeSucceededVoidFuture() }
      let tile = Self.reader.runIfActive(eventLoop: loop) { tiles.read(place) }.recover { _ in nil }
      return tile.flatMap { image in
        body(image)
        let pause = max(Self.pause, .microseconds(Int64((image?.readableBytes ?? 0) / Self.pace)))
        return loop.scheduleTask(in: pause) {}.futureResult
      }
    }
    state.withLock { $0.reading = reading }
  }

  /// Counts a tile until it is sent, and ends the connections that have taken longest to read theirs if it is too much.
  func sending(_ size: Int, to channel: any Channel) {
    let slowest = state.withLock { state in
      var bytes = state.unsent.reduce(size) { $0 + $1.size }
      let slowest = state.unsent.prefix { tile in
        defer { bytes -= tile.size }
        return bytes > Self.maximumUnsent
      }
      state.unsent.removeFirst(slowest.count)
      state.unsent.append((channel, size))
      return slowest
    }
    for tile in slowest { tile.channel.close(promise: nil) }
  }

  /// The answer to a connection is sent, or never will be.
  func sent(to channel: any Channel) { state.withLock { $0.unsent.removeAll { $0.channel === channel } } }
}
