import Glibc
import NIOCore
import NIOEmbedded

@testable import LocationDaemon

/// A client of a `VirtualDaemon`.
final class VirtualClient {
  private let channel: EmbeddedChannel
  private let reader = WriteBlocker()
  private var splitter = LineSplitter()

  init(to daemon: VirtualDaemon, dialect: Dialect = .handlebar) {
    channel = EmbeddedChannel(
      handlers: [reader, ClientHandler(server: daemon.server, dialect: dialect)], loop: daemon.loop)
    channel.connect(to: Self.address, promise: nil)
  }

  private static let address = SocketAddress(sockaddr_un())

  /// Whether the daemon has closed the connection.
  var isClosed: Bool { !channel.isActive }

  /// Whether the daemon still listens to this client.
  var isReadingEnabled: Bool {
    let last = channel.options.last { $0.option is ChannelOptions.Types.AutoReadOption }
    return last?.value as? Bool ?? true
  }

  /// Sends what may be part of a request, or many.
  func send(_ text: String) throws {
    try channel.writeInbound(ByteBuffer(string: text))
  }

  /// Everything that came since the last time.
  func take() throws -> [ReceivedLine] {
    var lines: [ReceivedLine] = []
    while let buffer = try channel.readOutbound(as: ByteBuffer.self) {
      lines += try splitter.append(buffer.readableBytesView)
    }
    return lines
  }

  /// Everything that came since the last time, as it came.
  func takeText() throws -> String {
    var text = ""
    while let buffer = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: buffer) }
    return text
  }

  /// Asks, and takes what came back.
  func ask(_ text: String) throws -> [ReceivedLine] {
    _ = try take()
    try send(text)
    return try take()
  }

  /// The client reads nothing more: what the daemon writes stays with the daemon.
  func stopReading() { reader.isReading = false }

  /// The client reads again, first what was left.
  func resumeReading() { reader.resumeReading() }

  /// The client goes away.
  func close() { channel.close(promise: nil) }
}

/// Stands between a session and its channel as a kernel with no room left does: writes stay, and their promises open.
final class WriteBlocker: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  var isReading = true
  private var held: [(data: NIOAny, promise: EventLoopPromise<Void>?)] = []
  private var context: ChannelHandlerContext?

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }
  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if isReading { return context.write(data, promise: promise) }
    held.append((data, promise))
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    for (_, promise) in held { promise?.fail(ChannelError.ioOnClosedChannel) }
    held.removeAll()
    context.close(mode: mode, promise: promise)
  }

  /// Lets everything through that waited, and what comes from now on.
  func resumeReading() {
    isReading = true
    let waiting = held
    held.removeAll()
    for (data, promise) in waiting { context?.writeAndFlush(data, promise: promise) }
  }
}
