import NIOCore

/// Stands between a session and its channel as a kernel with no room left does: writes stay, and their promises open.
final class ReaderThatMayStop: ChannelOutboundHandler {
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
  func readOn() {
    isReading = true
    let waiting = held
    held.removeAll()
    for (data, promise) in waiting { context?.writeAndFlush(data, promise: promise) }
  }
}
