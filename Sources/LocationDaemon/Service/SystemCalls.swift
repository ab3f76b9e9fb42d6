import Glibc
import Libc
import LocationCore
import NIOCore
import NIOPosix
import SystemPackage

/// The descriptor of swift-system; NIOCore has a protocol of the same name.
typealias FileDescriptor = SystemPackage.FileDescriptor

extension Errno {
  /// Runs a system call that swift-system does not wrap; throws its `errno` if it returns a negative number.
  @discardableResult
  static func check<Result: SignedInteger>(_ call: () -> Result) throws(Errno) -> Result {
    let result = call()
    guard result >= 0 else { throw Errno(rawValue: errno) }
    return result
  }
}

extension FileDescriptor {
  /// The first `limit` bytes of the file at `path`, or all of a shorter one.
  static func contents(of path: String, limit: Int) throws -> [UInt8] {
    // Opening a pipe would wait for its other end.
    let file = try open(FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
    return try file.closeAfter {
      var bytes: [UInt8] = []
      var chunk = [UInt8](repeating: 0, count: min(limit, 16_384))
      while bytes.count < limit {
        let count = try chunk.withUnsafeMutableBytes { try file.read(into: $0) }
        guard count > 0 else { break }
        bytes += chunk[..<min(count, limit - bytes.count)]
      }
      return bytes
    }
  }

  /// Opens a socket that children do not inherit; reads and writes do not block if `isBlocking` is false.
  static func socket(_ family: CInt, _ type: __socket_type, isBlocking: Bool = false) throws(Errno) -> FileDescriptor {
    let flags = SOCK_CLOEXEC.rawValue | (isBlocking ? 0 : SOCK_NONBLOCK.rawValue)
    return FileDescriptor(rawValue: try Errno.check { Glibc.socket(family, CInt(type.rawValue | flags), 0) })
  }
}

enum StandardDescriptors {
  /// Opens `/dev/null` in place of those that are closed; else the next file or socket would receive the log.
  static func fill() {
    while let descriptor = try? FileDescriptor.open("/dev/null", .readWrite) {
      guard descriptor.rawValue > FileDescriptor.standardError.rawValue else { continue }
      try? descriptor.close()
      return
    }
  }
}

extension NetworkAddress {
  /// The address of an IP socket; `nil` for any other.
  init?(_ address: SocketAddress?) {
    guard let address, let host = address.ipAddress, let port = address.port else { return nil }
    self.init(host: host, port: port)
  }

  /// The socket address if no name has to be resolved; `localhost` is 127.0.0.1.
  var literal: SocketAddress? { try? SocketAddress(ipAddress: host == "localhost" ? "127.0.0.1" : host, port: port) }
}

/// A Unix datagram socket that sends to one address. It is not connected: a receiver that restarts is reached again.
struct DatagramSender {
  private let socket: FileDescriptor
  private let address: UnixAddress

  /// A sender whose blocking sends wait for at most `timeout`.
  init?(to address: UnixAddress, timeout: Duration = .zero) {
    guard let socket = try? FileDescriptor.socket(AF_UNIX, SOCK_DGRAM, isBlocking: true) else { return nil }
    self.socket = socket
    self.address = address
    // A timeval as a tuple: the module of its members depends on how the standard library is linked.
    var limit = (time_t(timeout.components.seconds), suseconds_t(timeout.components.attoseconds / 1_000_000_000_000))
    setsockopt(socket.rawValue, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout.size(ofValue: limit)))
  }

  /// Sends one datagram; returns at once unless `isBlocking`.
  func send(_ bytes: [UInt8], isBlocking: Bool = false) throws(Errno) {
    let flags = CInt(MSG_NOSIGNAL) | (isBlocking ? 0 : CInt(MSG_DONTWAIT))
    try Errno.check { address.withSocketAddress { sendto(socket.rawValue, bytes, bytes.count, flags, $0, $1) } }
  }

  func close() { try? socket.close() }
}

/// Passes the bytes of a channel, and its end, to closures. They are released with the channel.
final class ByteHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  private let onRead: (ByteBuffer) -> Void
  private let onEnd: () -> Void

  init(onRead: @escaping (ByteBuffer) -> Void, onEnd: @escaping () -> Void = {}) {
    self.onRead = onRead
    self.onEnd = onEnd
  }

  /// Starts to read `descriptor`, which the channel closes at its end.
  func read(_ descriptor: FileDescriptor, on loop: any EventLoop) -> EventLoopFuture<any Channel>.Isolated {
    let handler = NIOLoopBound(self, eventLoop: loop)
    return NIOPipeBootstrap(group: loop)
      .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 4096))
      .channelOption(.maxMessagesPerRead, value: 16)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(handler.value) }
      }
      .takingOwnershipOfDescriptor(input: descriptor.rawValue)
      .assumeIsolated()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { onRead(unwrapInboundIn(data)) }
  func channelInactive(context: ChannelHandlerContext) { onEnd() }
  // A terminal whose peer is gone answers a read with EIO; `channelInactive` follows.
  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  // There is no handler after this one.
  func channelReadComplete(context: ChannelHandlerContext) {}
}
