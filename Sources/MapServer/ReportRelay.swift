import GPSDProtocol
import NIOCore

/// Passes on the whole lines of the daemon as they are.
final class ReportRelay: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  private let viewer: ViewerHandler
  private let browser: ChannelHandlerContext
  private var partial = ByteBuffer()

  init(to viewer: ViewerHandler, _ browser: ChannelHandlerContext) {
    self.viewer = viewer
    self.browser = browser
  }

  /// Bounds what waits in a connection to the daemon, in both directions.
  static func limit(_ channel: any Channel) throws {
    let options = channel.syncOptions
    try options?.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: MapServer.readSize))
    try options?.setOption(.maxMessagesPerRead, value: 1)
    try options?.setOption(.writeBufferWaterMark, value: .init(low: 1024, high: 4096))
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    let lineFeed = UInt8(ascii: "\n")
    if let last = bytes.readableBytesView.lastIndex(of: lineFeed) {
      var lines = partial
      var whole = bytes.readSlice(length: last + 1 - bytes.readerIndex) ?? ByteBuffer()
      lines.writeBuffer(&whole)
      partial.clear()
      viewer.service.trail.note(lines)
      viewer.send(.text, lines, browser)
    }
    partial.writeBuffer(&bytes)
    // Longer than any line: not a daemon.
    if partial.readableBytes > ReportLines.maximumLength { context.close(promise: nil) }
  }

  // There is no handler after this one.
  func channelWritabilityChanged(context: ChannelHandlerContext) { viewer.holdBack(browser) }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  func channelInactive(context: ChannelHandlerContext) {
    viewer.refuse(.init("noDaemon"), "the daemon closed the connection", browser)
  }
}
