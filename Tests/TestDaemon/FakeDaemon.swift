import GPSDProtocol
import Glibc
import LocationClient
import NIOCore
import NIOPosix
import Synchronization

/// A daemon for tests: it listens on a Unix socket of its own, greets, keeps every request, and sends the given answers.
package final class FakeDaemon: Sendable {
  package static let version = #"{"class":"VERSION","release":"9.9","rev":"test","proto_major":3,"proto_minor":14}"#

  package let directory: String
  package var path: String { directory + "/socket" }
  package let requests = Mutex<[Request]>([])
  private let channels = Mutex<[any Channel]>([])
  private let listener = Mutex<(any Channel)?>(nil)
  private let greeting: [String]
  private let answer: @Sendable (Request) -> [String]

  package init(greeting: [String] = [version], answer: @escaping @Sendable (Request) -> [String] = { _ in [] }) throws {
    var template = Array("/tmp/fake-daemon-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw IOError(errnoCode: errno, reason: "mkdtemp") }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    self.greeting = greeting
    self.answer = answer
  }

  deinit {
    unlink(path)
    rmdir(directory)
  }

  package var endpoint: Endpoint { .unix(path: path) }

  package func start() async throws {
    let listening = try await bootstrap.bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true).get()
    listener.withLock { $0 = listening }
  }

  /// Listens on a loopback port instead.
  package func startTCP() async throws -> Endpoint {
    let listening = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
    listener.withLock { $0 = listening }
    return .tcp(host: "127.0.0.1", port: listening.localAddress?.port ?? 0)
  }

  private var bootstrap: ServerBootstrap {
    ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { [weak self] channel in
        channel.eventLoop.makeCompletedFuture {
          guard let self else { return }
          try channel.pipeline.syncOperations.addHandler(Handler(daemon: self))
        }
      }
  }

  /// Stops listening and closes every connection.
  package func stop() async throws {
    try await listener.withLock { $0 }?.close().get()
    hangUp()
  }

  package var connections: Int { channels.withLock { $0.count { $0.isActive } } }

  package func hangUp() {
    let open = channels.withLock { channels in
      defer { channels.removeAll() }
      return channels
    }
    for channel in open { channel.close(promise: nil) }
  }

  private static func write(_ lines: [String], to channel: any Channel) {
    guard !lines.isEmpty else { return }
    channel.writeAndFlush(ByteBuffer(string: lines.map { $0 + "\r\n" }.joined()), promise: nil)
  }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let daemon: FakeDaemon
    private var parser = RequestParser()

    init(daemon: FakeDaemon) {
      self.daemon = daemon
    }

    func channelActive(context: ChannelHandlerContext) {
      let channel = context.channel
      daemon.channels.withLock { $0.append(channel) }
      FakeDaemon.write(daemon.greeting, to: channel)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let bytes = Array(unwrapInboundIn(data).readableBytesView)
      var index = 0
      while let request = try? parser.next(in: bytes.span, from: &index) {
        daemon.requests.withLock { $0.append(request) }
        if request == .version {
          FakeDaemon.write([FakeDaemon.version], to: context.channel)
        } else {
          FakeDaemon.write(daemon.answer(request), to: context.channel)
        }
      }
    }
  }
}
