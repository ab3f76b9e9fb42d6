import NIOCore

/// Watches over a listening socket.
///
/// Without a free descriptor the client that waits keeps the socket readable: it is left alone for a while, or the
/// daemon would do nothing but try. `AcceptBackoffHandler` does not help: the channel goes on by itself. An error that
/// no wait cures ends the channel; that must not go unnoticed.
final class AcceptGuard: ChannelInboundHandler {
  typealias InboundIn = any Channel

  /// The socket was closed behind the daemon's back.
  struct Lost: Error, Hashable, CustomStringConvertible {
    let description: String
  }

  private static let pause = TimeAmount.seconds(1)
  private let server: Server
  private var newest: (any Error)?
  /// Whether the end of the channel is wanted.
  var isClosing = false

  init(server: Server) {
    self.server = server
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    newest = error
    server.didFailToAccept(error)
    let channel = context.channel
    channel.setOption(.autoRead, value: false).whenFailure { _ in }
    channel.eventLoop.scheduleTask(in: Self.pause) { channel.setOption(.autoRead, value: true).whenFailure { _ in } }
  }

  func channelInactive(context: ChannelHandlerContext) {
    guard !isClosing else { return }
    isClosing = true
    server.listenerFailed(
      Lost(description: "the listening socket was lost" + (newest.map { ": \($0)" } ?? "")))
  }
}
