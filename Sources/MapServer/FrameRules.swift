import NIOCore
import NIOWebSocket

/// The rules of RFC 6455 for a browser's frames that NIO leaves to its user.
final class FrameRules: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias InboundOut = WebSocketFrame

  /// A frame that is not masked, so that it could be a request of another protocol, or uses what is reserved.
  struct Violation: Error {}

  static let maximumFragments = 128

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3, Self.opcodes.contains(frame.opcode) else {
      return context.fireErrorCaught(Violation())
    }
    context.fireChannelRead(data)
  }

  private static let opcodes: [WebSocketOpcode] = [.continuation, .text, .binary, .connectionClose, .ping, .pong]

  /// The code that closes a connection after an error of the handlers that decode its frames; `nil` for other errors.
  static func code(for error: any Error) -> WebSocketErrorCode? {
    switch error {
    case NIOWebSocketError.invalidFrameLength, NIOWebSocketFrameAggregator.Error.accumulatedFrameSizeIsTooLarge,
      NIOWebSocketFrameAggregator.Error.tooManyFragments:
      .messageTooLarge
    case is NIOWebSocketError, is NIOWebSocketFrameAggregator.Error, is Violation: .protocolError
    default: nil
    }
  }

  /// The code that answers a close frame: its own, if that is one that may be sent.
  static func code(answering data: ByteBuffer) -> WebSocketErrorCode {
    guard data.readableBytes > 0 else { return .normalClosure }
    var reason = data
    switch reason.readInteger(as: UInt16.self) {
    case let code? where (1000...1003).contains(code) || (1007...1014).contains(code) || (3000...4999).contains(code):
      return isText(reason) ? WebSocketErrorCode(codeNumber: Int(code)) : .dataInconsistentWithMessage
    default: return .protocolError
    }
  }

  static func isText(_ data: ByteBuffer) -> Bool { String(validating: data.readableBytesView, as: UTF8.self) != nil }
}
