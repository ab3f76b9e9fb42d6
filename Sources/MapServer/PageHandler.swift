import GPSDProtocol
import Glibc
import MapPage
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// The answers to a connection's requests for files and tiles. Confined to the channel's event loop.
final class PageHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  static let name = "page"
  /// Longest time from the start of the connection, or from the end of an answer, to the end of the next request.
  private static let timeout = TimeAmount.seconds(10)
  /// Bytes per second that a viewer must read.
  private static let slowestReader = 8_000

  private let shared: SharedState
  private var head: HTTPRequestHead?
  private var timer: Scheduled<Void>?

  init(_ shared: SharedState) {
    self.shared = shared
  }

  func handlerAdded(context: ChannelHandlerContext) { wait(context) }
  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  /// Closes the connection after the time-out, and the time that so many bytes take.
  private func wait(_ context: ChannelHandlerContext, forBytes bytes: Int = 0) {
    timer?.cancel()
    let channel = context.channel
    timer = context.eventLoop.scheduleTask(in: Self.timeout + .seconds(Int64(bytes / Self.slowestReader))) {
      channel.close(promise: nil)
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): self.head = head
    // No request has a body; what is sent is dropped.
    case .body: break
    case .end:
      guard let head else { return }
      self.head = nil
      timer?.cancel()
      answer(head, context)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // A refused upgrade is answered as any other request.
    if error is NIOWebSocketUpgradeError { return }
    context.close(promise: nil)
  }

  private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    guard head.method == .GET || head.method == .HEAD else {
      return send(.init(.methodNotAllowed, "only GET is possible"), to: head, context)
    }
    switch shared.verdict(head) {
    case .refused(let reason): return send(.init(.forbidden, reason), to: head, context)
    case .enters(let cookie):
      return send(Answer(.seeOther, headers: [("Set-Cookie", cookie), ("Location", "/")]), to: head, context)
    case .allowed: break
    }
    let path = RequestTarget(head.uri).path
    if let file = shared.files[path] {
      return send(Answer(.ok, type: file.type, body: file.body), to: head, context)
    }
    guard let tiles = shared.tiles, let place = MapTile(path: path) else {
      return send(.init(.notFound, "there is no such file"), to: head, context)
    }
    // A memory card can take its time.
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    let reading = NIOThreadPool.singleton.runIfActive(eventLoop: context.eventLoop) { tiles.read(place) }
    reading.whenComplete { result in
      let (handler, context) = bound.value
      guard case .success(let tile?) = result, let type = MapTile.type(of: tile) else {
        // A map has an edge: that is no error.
        return handler.send(Answer(.noContent, headers: Answer.tileHeaders), to: head, context)
      }
      let body = context.channel.allocator.buffer(bytes: tile)
      handler.send(Answer(.ok, type: type, headers: Answer.tileHeaders, body: body), to: head, context)
    }
  }

  private func send(_ answer: Answer, to request: HTTPRequestHead, _ context: ChannelHandlerContext) {
    guard context.channel.isActive else { return }
    wait(context, forBytes: answer.body.readableBytes)
    var headers = HTTPHeaders([
      (
        "Content-Security-Policy",
        "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
      ),
      ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
      ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"),
    ])
    if answer.status != .noContent { headers.add(name: "Content-Length", value: String(answer.body.readableBytes)) }
    if let type = answer.type { headers.add(name: "Content-Type", value: type) }
    headers.add(contentsOf: answer.headers)
    if !headers.contains(name: "Cache-Control") { headers.add(name: "Cache-Control", value: "no-cache") }
    // The rest of a refused request is not worth reading.
    let isKept = request.isKeepAlive && answer.status != .methodNotAllowed
    if !isKept { headers.add(name: "Connection", value: "close") }
    context.write(
      wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers))),
      promise: nil)
    if request.method != .HEAD { context.write(wrapOutboundOut(.body(.byteBuffer(answer.body))), promise: nil) }
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
      let (handler, context) = bound.value
      if !isKept {
        context.close(promise: nil)
      } else if handler.head == nil, context.channel.isActive {
        handler.wait(context)
      }
    }
  }
}

private struct Answer {
  static let tileHeaders = [("Cache-Control", "private, max-age=3600")]

  var status: HTTPResponseStatus
  var type: String?
  var headers: [(String, String)] = []
  var body = ByteBuffer()

  init(
    _ status: HTTPResponseStatus, type: String? = nil, headers: [(String, String)] = [], body: ByteBuffer = ByteBuffer()
  ) {
    self.status = status
    self.type = type
    self.headers = headers
    self.body = body
  }

  init(_ status: HTTPResponseStatus, _ words: String) {
    self.init(status, type: "text/plain; charset=utf-8", body: ByteBuffer(string: words + "\n"))
  }
}

/// The files of the page in memory, by the path of their URL.
struct PageFiles: Sendable {
  struct File: Sendable {
    var type: String
    var body: ByteBuffer
  }

  /// Where Debian's libjs-leaflet installs it.
  private static let leaflet = "/usr/share/javascript/leaflet"

  private var files: [Substring: File] = [:]

  /// Reads Leaflet. The page learns about the tiles from `/map.json`.
  init(tiles: MapTiles?) throws(MapServer.Failure) {
    for number in 0..<map_page_count() {
      guard let file = map_page_get(number)?.pointee else { continue }
      files[Substring(String(cString: file.path))] = File(
        type: String(cString: file.type),
        body: ByteBuffer(bytes: UnsafeRawBufferPointer(start: file.bytes, count: file.end - file.bytes)))
    }
    files["/leaflet.css"] = File(type: "text/css; charset=utf-8", body: try Self.leaflet("leaflet.css"))
    let script = access("\(Self.leaflet)/leaflet.min.js", R_OK) == 0 ? "leaflet.min.js" : "leaflet.js"
    files["/leaflet.js"] = File(type: "text/javascript; charset=utf-8", body: try Self.leaflet(script))
    var line = JSONLine(lineEnd: .lf)
    line.beginObject()
    tiles?.write(into: &line)
    line.endObject()
    files["/map.json"] = File(type: "application/json", body: ByteBuffer(bytes: line.bytes))
  }

  subscript(_ path: Substring) -> File? { files[path] }

  private static func leaflet(_ name: String) throws(MapServer.Failure) -> ByteBuffer {
    let path = "\(leaflet)/\(name)"
    guard let bytes = FileBytes.read(path, limit: 1 << 20) else { throw .noLeaflet(path: path) }
    return ByteBuffer(bytes: bytes)
  }
}
