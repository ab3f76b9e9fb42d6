import GPSDProtocol
import Glibc
import LocationClient
import MapPage
import NIOCore
import NIOHTTP1
import NIOWebSocket

/// The answers to a connection's requests for files and tiles. Confined to the channel's event loop.
final class PageHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  static let name = "page"
  /// Longest time from the connection's start or an answer's end to the end of a request; refused ones do not renew it.
  private static let timeout = TimeAmount.seconds(10)
  /// Bytes per second that a viewer must read.
  private static let slowestReader = 8_000

  private let service: MapService
  private var head: HTTPRequestHead?
  private var isAllowed = false
  private var timer: Scheduled<Void>?

  init(_ service: MapService) { self.service = service }
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
      return send(.text(.methodNotAllowed, "only GET is possible"), to: head, context)
    }
    let path = RequestTarget(head.uri).path
    var headers: [(String, String)] = []
    switch service.verdict(head) {
    case .refused(let reason): return send(.text(.forbidden, reason), to: head, context)
    case .enters(let cookie):
      begin(context)
      return send(Answer(status: .seeOther, headers: [("Set-Cookie", cookie), ("Location", "/")]), to: head, context)
    case .renewed(let cookie):
      headers = [("Set-Cookie", cookie)]
      begin(context)
    case .allowed: begin(context)
    }
    if path == "/metrics" { return sendMetrics(to: head, context) }
    if path == "/trail.json" { return sendTrail(to: head, context) }
    if var file = service.files[path] {
      file.headers = headers
      return send(file, to: head, context)
    }
    guard let tiles = service.tiles, let place = MapTile(path: path) else {
      return send(.text(.notFound, "there is no such file"), to: head, context)
    }
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    tiles.read(place, for: context.channel) { tile in
      let (handler, context) = bound.value
      guard let tile, let type = MapTile.type(of: tile) else {
        // A map has an edge: that is no error.
        return handler.send(Answer(status: .noContent, headers: Answer.tileHeaders), to: head, context)
      }
      guard context.channel.isActive else { return }
      tiles.sending(tile.readableBytes, to: context.channel)
      handler.send(Answer(status: .ok, type: type, headers: Answer.tileHeaders, body: tile), to: head, context)
    }
  }

  private func sendMetrics(to head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    let client = LocationClient(endpoint: service.daemon)
    context.eventLoop.makeFutureWithTask { try? await client.status() }.assumeIsolated().whenSuccess { status in
      let body = ByteBuffer(string: Metrics(status).text)
      self.send(Answer(status: .ok, type: Metrics.type, body: body), to: head, context)
    }
  }

  private func sendTrail(to head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    service.trail.read(on: context.eventLoop).assumeIsolated().whenSuccess { trail in
      let answer = trail.map { Answer(type: "application/json", body: $0) } ?? Answer(status: .noContent)
      self.send(answer, to: head, context)
    }
  }

  /// The request is allowed: the connection may take the time that the answer takes.
  private func begin(_ context: ChannelHandlerContext) {
    timer?.cancel()
    isAllowed = true
    service.places.withLock { $0.hold(context.channel, as: .answered) }
  }

  private func send(_ answer: Answer, to request: HTTPRequestHead, _ context: ChannelHandlerContext) {
    guard context.channel.isActive else { return }
    if isAllowed { wait(context, forBytes: answer.body.readableBytes) }
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
    // What follows a refused request is not worth reading.
    let isKept = request.isKeepAlive && answer.status != .methodNotAllowed && answer.status != .forbidden
    if !isKept { headers.add(name: "Connection", value: "close") }
    let head = HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    // The end of the body, nothing on the line, lets the next request in: not before this one's answer is sent.
    let body = request.method == .HEAD ? ByteBuffer() : answer.body
    context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(body)))).assumeIsolated().whenComplete { _ in
      self.service.tiles?.sent(to: context.channel)
      guard isKept, context.channel.isActive else { return context.close(promise: nil) }
      self.wait(context)
      self.service.places.withLock { $0.hold(context.channel, as: .idle) }
      context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: nil)
    }
  }
}

/// An answer, without the headers that all have.
struct Answer: Sendable {
  static let tileHeaders = [("Cache-Control", "private, max-age=3600")]
  var status = HTTPResponseStatus.ok
  var type: String?
  var headers: [(String, String)] = []
  var body = ByteBuffer()

  static func text(_ status: HTTPResponseStatus, _ words: String) -> Answer {
    Answer(status: status, type: "text/plain; charset=utf-8", body: ByteBuffer(string: words + "\n"))
  }
}

/// The files of the page in memory, by the path of their URL.
struct PageFiles: Sendable {
  /// Where Debian's libjs-leaflet installs it.
  private static let leaflet = "/usr/share/javascript/leaflet"
  private var files: [Substring: Answer] = [:]

  /// Reads Leaflet. The page learns about the tiles, or why there are none, and its first size from `/map.json`.
  init(tiles: Result<MapTiles, MapFailure>?, startsRiding: Bool) throws(MapFailure) {
    for number in 0..<map_page_count() {
      guard let file = map_page_get(number)?.pointee else { continue }
      files[Substring(String(cString: file.path))] = Answer(
        type: String(cString: file.type),
        body: ByteBuffer(bytes: UnsafeRawBufferPointer(start: file.bytes, count: file.end - file.bytes)))
    }
    files["/leaflet.css"] = Answer(type: "text/css; charset=utf-8", body: try Self.leaflet("leaflet.css"))
    let script = access("\(Self.leaflet)/leaflet.min.js", R_OK) == 0 ? "leaflet.min.js" : "leaflet.js"
    files["/leaflet.js"] = Answer(type: "text/javascript; charset=utf-8", body: try Self.leaflet(script))
    var line = JSONLine(lineEnd: .lf)
    line.beginObject()
    switch tiles {
    case .success(let tiles): tiles.write(into: &line)
    case .failure(let failure): line.field("error", "\(failure)")
    case nil: break
    }
    line.field("riding", startsRiding)
    line.endObject()
    files["/map.json"] = Answer(type: "application/json", body: ByteBuffer(bytes: line.bytes))
  }

  subscript(_ path: Substring) -> Answer? { files[path] }

  private static func leaflet(_ name: String) throws(MapFailure) -> ByteBuffer {
    let path = "\(leaflet)/\(name)"
    guard let bytes = ByteBuffer(path: path, limit: 1 << 20) else {
      throw .notInstalled("\(path) is missing", package: "libjs-leaflet")
    }
    return bytes
  }
}
