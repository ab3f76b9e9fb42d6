import GPSDProtocol
import LocationClient
import NIOCore
import NIOWebSocket

/// A browser that shows the map: its WebSocket and its connection to the daemon. Confined to the channel's event loop.
/// Messages to it are lines of the daemon's protocol, one or more in each. Messages from it are requests: it may report
/// views, follow, set targets, read courses and control playback, with a token also what is recorded, counted and
/// followed, and nothing else.
final class ViewerHandler: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  /// Poses a second: the page draws between two of them, this far behind.
  private static let poseRate = 20
  /// Start of the names of views and targets that a page may use. Others belong to other programs.
  private static let prefix = "map-"
  private static let maximumTargets = 8
  private static let pingInterval = TimeAmount.seconds(15)
  private static let heartbeatInterval = TimeAmount.seconds(1)

  let service: MapService
  private var requests = RequestParser()
  private var targets: Set<String> = []
  private var daemon: (any Channel)?
  private var pings: RepeatedTask?
  private var heartbeats: RepeatedTask?
  private var isAnswered = true
  /// Data of the browser's newest ping, until it is answered.
  private var newestPing: ByteBuffer?
  private var isPongUnsent = false
  private var isClosing = false

  init(_ service: MapService) { self.service = service }

  func handlerAdded(context: ChannelHandlerContext) {
    guard service.places.withLock({ $0.admitViewer(context.channel) }) else {
      let limit = Places.viewerLimit
      return refuse(.init("tooManyViewers"), "\(limit) pages show this map already; close one of them", context)
    }
    // Otherwise the kernel holds minutes of old positions for a browser that does not read.
    try? context.channel.syncOptions?.setOption(.socketOption(.so_sndbuf), value: 4096)
    try? context.channel.syncOptions?.setOption(.writeBufferWaterMark, value: .init(low: 1024, high: 4096))
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    let connecting = service.daemon.connect(on: context.eventLoop) { channel in
      let (handler, context) = bound.value
      try ReportRelay.limit(channel)
      try channel.pipeline.syncOperations.addHandler(ReportRelay(to: handler, context))
    }
    connecting.assumeIsolated().whenComplete { result in
      switch result {
      case .success(let channel): self.subscribe(channel, context)
      case .failure(let error):
        self.refuse(.init("noDaemon"), "\(LocationClientError(connecting: error, to: self.service.daemon))", context)
      }
    }
    heartbeats = context.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: Self.heartbeatInterval) { _ in
      let (handler, context) = bound.value
      handler.sendHeartbeat(context)
    }
    pings = context.eventLoop.scheduleRepeatedTask(initialDelay: Self.pingInterval, delay: Self.pingInterval) { _ in
      let (handler, context) = bound.value
      guard handler.isAnswered else {
        context.close(promise: nil)
        return
      }
      handler.isAnswered = false
      handler.send(.ping, ByteBuffer(), context)
    }
  }

  /// Sends the server's own line, which distinguishes its silence from the daemon's, and what the page may do.
  private func sendHeartbeat(_ context: ChannelHandlerContext) {
    guard context.channel.isWritable else { return }
    var line = JSONLine(lineEnd: .lf)
    line.begin("HEARTBEAT")
    line.field("mayControl", service.allowsControl)
    line.end()
    send(.text, ByteBuffer(bytes: line.bytes), context)
  }

  private func subscribe(_ channel: any Channel, _ context: ChannelHandlerContext) {
    guard context.channel.isActive, !isClosing else {
      channel.close(promise: nil)
      return
    }
    daemon = channel
    holdBack(context)
    var subscription = Subscription(distanceFilter: 0, includesCourse: true, includesSensors: true)
    subscription.poses = Self.poseRate
    subscription.includesEstimates = true
    channel.send([subscription.request])
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    guard !isClosing else { return }
    switch frame.opcode {
    case .text: pass(frame.unmaskedData, context)
    case .ping:
      newestPing = frame.unmaskedData
      sendPong(context)
    case .pong: isAnswered = true
    case .connectionClose: end(FrameRules.code(answering: frame.unmaskedData), context)
    default: end(.unacceptableData, context)
    }
  }

  /// Answers the newest ping, one at a time: those that come faster than the answers are read need none.
  private func sendPong(_ context: ChannelHandlerContext) {
    guard !isPongUnsent, let data = newestPing else { return }
    newestPing = nil
    isPongUnsent = true
    send(.pong, data, context).assumeIsolated().whenSuccess {
      self.isPongUnsent = false
      self.sendPong(context)
    }
  }

  private func pass(_ message: ByteBuffer, _ context: ChannelHandlerContext) {
    guard FrameRules.isText(message) else { return end(.dataInconsistentWithMessage, context) }
    let bytes = Array(message.readableBytesView)
    var index = 0
    var lines = JSONLine(capacity: 256)
    do throws(RequestError) {
      while let request = try requests.next(in: bytes.span, from: &index) {
        guard Self.isAllowed(request, targets: &targets, mayControl: service.allowsControl) else {
          return end(.policyViolation, context)
        }
        request.write(into: &lines)
      }
    } catch {
      return end(.policyViolation, context)
    }
    daemon?.writeAndFlush(ByteBuffer(bytes: lines.bytes), promise: nil)
  }

  /// Whether a page may send a request. Unless it `mayControl` the ride, it may remove only its own `targets`.
  static func isAllowed(_ request: Request, targets: inout Set<String>, mayControl: Bool) -> Bool {
    switch request {
    case .engine(.view(let view)): return view.view.hasPrefix(prefix)
    case .question(.follow(let view?)), .engine(.setFollow(let view, _)), .engine(.restoreFollow(let view, _)):
      return view.hasPrefix(prefix)
    case .engine(.setTarget(let target)):
      targets.insert(target.name)
      return target.name.hasPrefix(prefix) && !target.isPersistent && targets.count <= maximumTargets
    case .engine(.removeTarget(let name)): return mayControl || targets.contains(name)
    case .engine(.trip): return mayControl
    // It sets none.
    case .engine(.course(let course)): return mayControl && [.follow, .end].contains(course.change)
    case .record(let change): return mayControl || change == nil
    case .question(.follow(nil)): return false
    case .question, .playback: return true
    default: return false
    }
  }

  // There is no handler after this one.
  func channelWritabilityChanged(context: ChannelHandlerContext) { holdBack(context) }

  /// Reads from the daemon while the browser reads, and from the browser while both do: neither can fill the server.
  func holdBack(_ context: ChannelHandlerContext) {
    let isRead = context.channel.isWritable
    try? daemon?.syncOptions?.setOption(.autoRead, value: isRead)
    try? context.channel.syncOptions?.setOption(.autoRead, value: isRead && daemon?.isWritable ?? true)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let code = FrameRules.code(for: error) else { return context.close(promise: nil) }
    end(code, context)
  }

  func channelInactive(context: ChannelHandlerContext) {
    isClosing = true
    heartbeats?.cancel()
    pings?.cancel()
    daemon?.close(promise: nil)
  }

  /// Sends an `ERROR` and closes; the page shows it and connects again.
  func refuse(_ code: ErrorCode, _ message: String, _ context: ChannelHandlerContext) {
    guard !isClosing else { return }
    var line = JSONLine(lineEnd: .lf)
    ErrorReport(message: message, code: code).write(into: &line)
    send(.text, ByteBuffer(bytes: line.bytes), context)
    end(.unexpectedServerError, context)
  }

  private func end(_ code: WebSocketErrorCode, _ context: ChannelHandlerContext) {
    guard !isClosing else { return }
    var data = context.channel.allocator.buffer(capacity: 2)
    data.write(webSocketErrorCode: code)
    let channel = context.channel
    send(.connectionClose, data, context).whenComplete { _ in channel.close(promise: nil) }
    isClosing = true
    daemon?.close(promise: nil)
  }

  @discardableResult
  func send(
    _ opcode: WebSocketOpcode, _ data: ByteBuffer, _ context: ChannelHandlerContext
  ) -> EventLoopFuture<Void> {
    guard !isClosing else { return context.eventLoop.makeSucceededVoidFuture() }
    return context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: opcode, data: data)))
  }
}
