import Glibc
import NIOCore
import NIOPosix

/// A listening TCP socket for gpsd's own clients.
package final class TCPListener {
  /// Why an address cannot be had.
  package enum Failure: Error, Hashable, CustomStringConvertible {
    case taken(NetworkAddress)
    case system(NetworkAddress, code: Int32)

    package var description: String {
      switch self {
      case .taken(let address):
        let owner =
          address.port == GPSDOptions.defaultPort
          ? "probably gpsd: stop it (systemctl stop gpsd.socket gpsd)" : "stop the program that listens there"
        return
          "\(address) is taken, \(owner), or choose another port with --tcp \(NetworkAddress(host: address.host, port: address.port + 1))"
      case .system(let address, let code):
        return "cannot listen on \(address): \(String(cString: strerror(code)))"
      }
    }
  }

  private let guardian: AcceptGuard
  private var channel: (any Channel)?

  /// Listens on every address; `localhost` is both 127.0.0.1 and, where there is one, ::1.
  static func listen(
    on addresses: [NetworkAddress], server: Server, loop: any EventLoop
  ) throws -> [TCPListener] {
    var listeners: [TCPListener] = []
    for address in addresses {
      if address.host == "localhost" {
        listeners.append(try TCPListener(NetworkAddress(host: "127.0.0.1", port: address.port), server, loop))
        do throws(Failure) {
          listeners.append(try TCPListener(NetworkAddress(host: "::1", port: address.port), server, loop))
        } catch {
          // A machine without IP version 6 is served on the other one alone.
          guard case .system(_, let code) = error, code == EADDRNOTAVAIL || code == EAFNOSUPPORT else { throw error }
        }
      } else {
        listeners.append(try TCPListener(address, server, loop))
      }
    }
    return listeners
  }

  private convenience init(
    _ address: NetworkAddress, _ server: Server, _ loop: any EventLoop
  ) throws(Failure) {
    self.init(socket: try Self.bind(address), server, loop)
  }

  /// Begins to accept from a socket that listens already.
  init(socket: Int32, _ server: Server, _ loop: any EventLoop) {
    guardian = AcceptGuard(server: server)
    let guardian = NIOLoopBound(self.guardian, eventLoop: loop)
    let bound = NIOLoopBound(server, eventLoop: loop)
    ServerBootstrap(group: loop)
      .serverChannelOption(.backlog, value: 128)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(guardian.value) }
      }
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(.socketOption(.so_sndbuf), value: UnixListener.sendBuffer)
      .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 2048))
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(ClientHandler(server: bound.value, dialect: .gpsd))
        }
      }
      .withBoundSocket(socket)
      .assumeIsolated()
      .whenComplete { result in
        switch result {
        case .success(let channel): self.channel = channel
        case .failure(let error): server.listenerFailed(error)
        }
      }
  }

  /// Stops accepting.
  func close() {
    guardian.isClosing = true
    channel?.close(promise: nil)
  }

  private static func bind(_ address: NetworkAddress) throws(Failure) -> Int32 {
    guard let target = address.literal else { throw .system(address, code: EADDRNOTAVAIL) }
    let family = address.host.utf8.contains(UInt8(ascii: ":")) ? AF_INET6 : AF_INET
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = Glibc.socket(family, kind, 0)
    guard descriptor >= 0 else { throw .system(address, code: errno) }
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    if family == AF_INET6 {
      setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, socklen_t(MemoryLayout<Int32>.size))
    }
    let result = target.withSockAddr { pointer, size in Glibc.bind(descriptor, pointer, socklen_t(size)) }
    guard result == 0, Glibc.listen(descriptor, 128) == 0 else {
      let code = errno
      Glibc.close(descriptor)
      throw code == EADDRINUSE ? .taken(address) : .system(address, code: code)
    }
    return descriptor
  }
}
