import Glibc
import NIOCore
import NIOEmbedded

@testable import LocationDaemon

/// A client of a `VirtualDaemon`, or of a server alone.
final class VirtualClient {
  private let channel: EmbeddedChannel
  private let reader = WriteBlocker()
  private var splitter = LineSplitter()
  /// It runs for as long as a client may ask it.
  private var daemon: VirtualDaemon?

  convenience init(to daemon: VirtualDaemon, dialect: Dialect = .handlebar) {
    self.init(to: daemon.server, on: daemon.loop, dialect: dialect)
    self.daemon = daemon
  }

  init(to server: Server, on loop: EmbeddedEventLoop, dialect: Dialect = .handlebar) {
    channel = EmbeddedChannel(handlers: [reader, ClientHandler(server: server, dialect: dialect)], loop: loop)
    channel.connect(to: Self.address, promise: nil)
  }

  private static let address = SocketAddress(sockaddr_un())

  /// Whether the daemon has closed the connection.
  var isClosed: Bool { !channel.isActive }

  /// Whether the daemon reads this client's input.
  var isReadingEnabled: Bool {
    let last = channel.options.last { $0.option is ChannelOptions.Types.AutoReadOption }
    return last?.value as? Bool ?? true
  }

  /// Sends text, which may be a part of a request or many requests.
  func send(_ text: String) throws {
    try channel.writeInbound(ByteBuffer(string: text))
  }

  /// All lines received since the last call.
  func take() throws -> [ReceivedLine] {
    var lines: [ReceivedLine] = []
    while let buffer = try channel.readOutbound(as: ByteBuffer.self) {
      lines += try splitter.append(buffer.readableBytesView)
    }
    return lines
  }

  /// All text received since the last call.
  func takeText() throws -> String {
    var text = ""
    while let buffer = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: buffer) }
    return text
  }

  /// All bytes received since the last call.
  func takeBytes() throws -> [UInt8] {
    var bytes: [UInt8] = []
    while let buffer = try channel.readOutbound(as: ByteBuffer.self) { bytes += buffer.readableBytesView }
    return bytes
  }

  /// Sends a request and returns the answer.
  func ask(_ text: String) throws -> [ReceivedLine] {
    _ = try take()
    try send(text)
    return try take()
  }

  /// Stops reading; the daemon's writes stay pending.
  func stopReading() { reader.isReading = false }

  /// Resumes reading, pending output first.
  func resumeReading() { reader.resumeReading() }

  /// Disconnects.
  func close() { channel.close(promise: nil) }
}

/// An outbound handler that holds writes and their promises, like a kernel without buffer space.
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

  /// Passes on all held and future writes.
  func resumeReading() {
    isReading = true
    let waiting = held
    held.removeAll()
    for (data, promise) in waiting { context?.writeAndFlush(data, promise: promise) }
  }
}
