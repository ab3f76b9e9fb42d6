import GPSDProtocol
import NIOCore

/// A channel handler that decodes lines into reports for its creator. Confined to the channel's event loop.
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

package struct Reply: Hashable, Sendable {
  package var report: Report
  /// The line without its end.
  package var line: [UInt8]

  init(line: [UInt8]) throws(ReportError) {
    report = try Report(line: line[...])
    self.line = line
  }
}

extension ReportError {
  var words: String {
    switch self {
    case .tooLong: "a line is too long"
    case .malformed(let what): what
    }
  }
}
