import GPSDProtocol
import Glibc
import Libc
import Testing

@testable import LocationDaemon

@Suite("Activated sockets", .serialized)
struct ActivatedSocketsTests {
  /// The first of consecutive descriptors beyond those that this process uses.
  private static let first: Int32 = 800

  enum Kind {
    case unix, unixDatagram, unixDeaf, tcp
  }

  private func take(_ kinds: [Kind], names: String?, pid: String? = nil) throws -> ActivatedSockets {
    let directory = try ScratchDirectory()
    for (index, kind) in kinds.enumerated() {
      let descriptor = try make(kind, at: directory / "\(index)")
      #expect(dup2(descriptor, Self.first + Int32(index)) >= 0)
      close(descriptor)
    }
    defer { for index in kinds.indices { close(Self.first + Int32(index)) } }
    var environment = ["LISTEN_FDS": "\(kinds.count)", "LISTEN_PID": pid ?? "\(getpid())"]
    environment["LISTEN_FDNAMES"] = names
    let sockets = try ActivatedSockets(environment: environment, first: Self.first)
    for index in kinds.indices where pid == nil {
      #expect(fcntl(Self.first + Int32(index), F_GETFD) & FD_CLOEXEC != 0)
      #expect(fcntl(Self.first + Int32(index), F_GETFL) & O_NONBLOCK != 0)
    }
    return sockets
  }

  private func make(_ kind: Kind, at path: String) throws -> Int32 {
    let isDatagram = kind == .unixDatagram
    let type = Int32(isDatagram ? SOCK_DGRAM.rawValue : SOCK_STREAM.rawValue)
    let descriptor = socket(kind == .tcp ? AF_INET : AF_UNIX, type, 0)
    if kind != .tcp {
      let address = try #require(UnixAddress(path))
      #expect(address.withSocketAddress { bind(descriptor, $0, $1) } == 0)
    }
    if kind == .unix || kind == .tcp { #expect(listen(descriptor, 1) == 0) }
    return descriptor
  }

  @Test func `Each socket is used by its name, in any order`() throws {
    let sockets = try take([.tcp, .unix, .tcp, .unix], names: "tcp:nmea:tcp:location")
    #expect(sockets.tcp == [Self.first, Self.first + 2])
    #expect(sockets.nmea == Self.first + 1)
    #expect(sockets.location == Self.first + 3)
  }

  @Test(arguments: [nil, "", "unknown", "handlebard.socket"])
  func `A socket without a name is for the full protocol`(name: String?) throws {
    #expect(try take([.unix], names: name).location == Self.first)
  }

  @Test func `Sockets for another process are not used`() throws {
    let sockets = try take([.unix], names: "location", pid: "1")
    #expect(sockets.location == nil && sockets.nmea == nil && sockets.tcp.isEmpty)
  }

  @Test(
    arguments: [
      [:], ["LISTEN_FDS": "1"], ["LISTEN_PID": "\(getpid())"], ["LISTEN_FDS": "x", "LISTEN_PID": "\(getpid())"],
    ]
  )
  func `Without both variables there are no sockets`(environment: [String: String]) throws {
    #expect(try ActivatedSockets(environment: environment, first: Self.first).location == nil)
  }

  private static func wrongKind(_ name: String, _ wanted: String) -> ListeningError {
    ListeningError("the socket named \"\(name)\" is not \(wanted); correct ListenStream= of its socket unit")
  }

  private static func twice(_ name: String) -> ListeningError {
    let remedy = "keep one, or set FileDescriptorName= of the other to nmea or tcp"
    return ListeningError("the socket units pass two sockets named \"\(name)\"; \(remedy)")
  }

  static let wrong: [(Kind, String, ListeningError)] = [
    (
      .unix, "web",
      ListeningError(#"the socket unit passes a socket named "web"; set FileDescriptorName= to location, nmea or tcp"#)
    ),
    (.unixDatagram, "location", wrongKind("location", "a listening Unix stream socket")),
    (.unixDeaf, "nmea", wrongKind("nmea", "a listening Unix stream socket")),
    (.tcp, "location", wrongKind("location", "a listening Unix stream socket")),
    (.unix, "tcp", wrongKind("tcp", "a listening TCP socket")),
  ]

  @Test(arguments: wrong.indices)
  func `A wrong kind of socket is rejected with a remedy`(index: Int) throws {
    let (kind, name, failure) = Self.wrong[index]
    #expect(throws: failure) { try take([kind], names: name) }
    #expect(!failure.description.contains("\n"))
  }

  @Test func `Clients without a pause do not keep a failed start from its end`() throws {
    let directory = try ScratchDirectory()
    let listener = try make(.unix, at: directory / "0")
    #expect(dup2(listener, Self.first) >= 0)
    close(listener)
    let address = try #require(UnixAddress(directory / "0"))
    let clients = (0..<2).map { _ in socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) }
    defer { for descriptor in clients + [Self.first] { close(descriptor) } }
    for client in clients { #expect(address.withSocketAddress { connect(client, $0, $1) } == 0) }
    FailedStart(environment: ["LISTEN_FDS": "1", "LISTEN_PID": "\(getpid())"], first: Self.first)
      .report("no source", code: .misconfigured, remedy: nil, for: .zero)
    var bytes = [UInt8](repeating: 0, count: 512)
    let received = clients.map { recv($0, &bytes, bytes.count, CInt(MSG_DONTWAIT)) > 0 }
    #expect(received == [true, false])
  }

  @Test func `Two sockets of the same name are rejected`() {
    #expect(throws: Self.twice("nmea")) { try take([.unix, .unix], names: "nmea:nmea") }
    #expect(throws: Self.twice("location")) { try take([.unix, .unix], names: "location:location") }
  }
}
