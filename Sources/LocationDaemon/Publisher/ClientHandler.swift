import GPSDProtocol
import LocationCore
import NIOCore

/// Puts one accepted connection and its session together: bytes in become requests.
final class ClientHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  private let publisher: Publisher
  private var session: Session?

  init(publisher: Publisher) {
    self.publisher = publisher
  }

  func channelActive(context: ChannelHandlerContext) {
    session = publisher.didAccept(context.channel)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard let session else { return }
    publisher.didRead(unwrapInboundIn(data), from: session)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    session?.close(reason: nil)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    session?.close(reason: nil)
    session = nil
  }
}
