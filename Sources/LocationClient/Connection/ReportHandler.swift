import GPSDProtocol
import NIOCore

/// Turns what a channel reads into reports, for whoever made it. Confined to the channel's event loop.
final class ReportHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private var lines = ReportLines()
  private let received: (Result<Reply, ReportError>) -> Void
  private let ended: ((any Error)?) -> Void
  private var error: (any Error)?

  init(received: @escaping (Result<Reply, ReportError>) -> Void, ended: @escaping ((any Error)?) -> Void) {
    self.received = received
    self.ended = ended
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = Array(unwrapInboundIn(data).readableBytesView)
    var index = 0
    while context.channel.isActive {
      do throws(ReportError) {
        guard let line = try lines.nextLine(in: bytes.span, from: &index) else { return }
        received(.success(try Reply(line: line)))
      } catch {
        received(.failure(error))
      }
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    self.error = error
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    ended(error)
    context.fireChannelInactive()
  }
}
