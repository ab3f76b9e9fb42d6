import Glibc

/// A program that is measured or compared with.
enum Subject: CustomStringConvertible {
  /// This project's daemon, by the path of its binary.
  case handlebard(String, poses: Int = 0)
  /// Debian's gpsd.
  case gpsd(String)
  /// This project's daemon as a client of a gpsd that reads the terminal; the daemon alone is measured.
  case behind(gpsd: String, handlebard: String)
  /// This project's daemon, which records, and a forwarder that sends the ride to a broker; without one if `nil`.
  case recording(String, forwarder: String?)
  /// The cost of the kernel and of this driver, which every figure includes.
  case floor

  var description: String {
    switch self {
    case .handlebard(let path, _), .gpsd(let path), .behind(_, let path), .recording(let path, _): path
    case .floor: "the floor"
    }
  }

  /// Starts it on a terminal of its own and waits until it accepts clients.
  func start(in scratch: Scratch, source: String? = nil, on terminal: Terminal? = nil) throws -> RunningSubject {
    try RunningSubject(self, terminal: try terminal ?? Terminal(), source: source, scratch: scratch)
  }

  /// The request for every fix.
  var subscription: String {
    switch self {
    case .handlebard(_, let poses): "?WATCH={\"enable\":true,\"json\":true,\"distanceFilter\":0,\"poses\":\(poses)};\n"
    case .behind, .recording: "?WATCH={\"enable\":true,\"json\":true,\"distanceFilter\":0};\n"
    case .gpsd: "?WATCH={\"enable\":true,\"json\":true};\n"
    case .floor: "\n"
    }
  }
}

/// How long a start may take, nanoseconds: the first one reads the program from a cold disk.
private let startLimit: Int64 = 30_000_000_000

/// A running subject: its process, its terminal, the address for its clients.
final class RunningSubject {
  let subject: Subject
  let terminal: Terminal
  let child: Child
  /// From exec to the first accepted connection, nanoseconds.
  let startTime: Int64
  /// The programs that it works with.
  private var helpers: [Child] = []
  /// The state of the forwarder.
  private var forwardState: String?
  private let address: Address

  private enum Address {
    case unix(String)
    case tcp(UInt16)
  }

  init(_ subject: Subject, terminal: Terminal, source: String?, scratch: Scratch) throws {
    self.subject = subject
    self.terminal = terminal
    let begin = Clock.now
    let log = scratch.file("log-\(begin)")
    let socket = scratch.file("socket-\(begin)")
    switch subject {
    case .handlebard(let path, _):
      address = .unix(socket)
      child = try Child(
        [path, "--source", source ?? "serial:\(terminal.path)", "--socket", socket, "--log-level", "warning"],
        environment: ["HANDLEBAR_MAX_CLIENTS": "1000"], log: log)
    case .gpsd(let path):
      let port = try freePort()
      address = .tcp(port)
      child = try Self.gpsd(path, port: port, terminal: terminal, log: log)
    case .behind(let gpsd, let path):
      let port = try freePort()
      let feeder = try Self.gpsd(gpsd, port: port, terminal: terminal, log: log)
      try Self.wait(for: .tcp(port), of: feeder, name: gpsd, until: begin + startLimit, log: log)
      helpers = [feeder]
      address = .unix(socket)
      child = try Child(
        [path, "--source", "gpsd://127.0.0.1:\(port)", "--socket", socket, "--log-level", "warning"], log: log)
    case .recording(let path, let forwarder):
      address = .unix(socket)
      let rides = scratch.file("rides-\(begin)")
      if let forwarder {
        let port = try freePort()
        let broker = try Child(["/usr/sbin/mosquitto", "-p", "\(port)"], log: log)
        try Self.wait(for: .tcp(port), of: broker, name: "mosquitto", until: begin + startLimit, log: log)
        let state = scratch.file("state-\(begin)")
        guard mkdir(rides, 0o755) == 0 else { throw Failure(rides) }
        helpers = [
          try Child(
            [forwarder, "forward", "mqtt://127.0.0.1:\(port)", "--rides", rides, "--state", state], log: log), broker,
        ]
        forwardState = state
      }
      child = try Child(
        [path, "--source", "serial:\(terminal.path)", "--socket", socket, "--record", rides, "--log-level", "warning"],
        log: log)
    case .floor:
      address = .unix(socket)
      child = try Child([CommandLine.arguments[0], "--floor", terminal.path, socket], log: log)
    }
    try Self.wait(for: address, of: child, name: "\(subject)", until: Clock.now + startLimit, log: log)
    startTime = Clock.now - begin
  }

  private static func gpsd(_ path: String, port: UInt16, terminal: Terminal, log: String) throws -> Child {
    try Child([path, "-N", "-n", "-b", "-D0", "-S", "\(port)", terminal.path], log: log)
  }

  /// Waits until a process accepts connections.
  private static func wait(
    for address: Address, of child: Child, name: String, until deadline: Int64, log: String
  ) throws {
    while true {
      if let probe = try connect(to: address) {
        close(probe)
        return
      }
      guard child.isAlive, Clock.now < deadline else {
        throw Failure("\(name) does not accept connections; its log: \(try Scratch.text(of: log).suffix(1000))")
      }
      usleep(100)
    }
  }

  /// Whether the broker has acknowledged fixes.
  var isForwarding: Bool {
    get throws {
      guard let forwardState else { return false }
      return try Scratch.text(of: forwardState + "/cursor").contains("acknowledged=")
    }
  }

  /// A new client that has requested every fix.
  func subscribe() throws -> Client {
    let client = try connect()
    try client.send(subject.subscription)
    return client
  }

  /// A new client that has requested nothing yet.
  func connect() throws -> Client {
    guard let descriptor = try Self.connect(to: address) else { throw Failure("connect to \(subject)") }
    return Client(descriptor: descriptor)
  }

  /// A connection; `nil` when no process listens.
  private static func connect(to address: Address) throws -> Int32? {
    let family = if case .unix = address { AF_UNIX } else { AF_INET }
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Failure("socket") }
    let result =
      switch address {
      case .unix(let path): withSocketAddress(path) { Glibc.connect(descriptor, $0, $1) }
      case .tcp(let port): withLoopbackAddress(port) { Glibc.connect(descriptor, $0, $1) }
      }
    guard result == 0 else {
      close(descriptor)
      return nil
    }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    return descriptor
  }
}

/// Calls `body` with the address of a Unix socket.
func withSocketAddress(_ path: String, _ body: (UnsafePointer<sockaddr>?, socklen_t) -> Int32) -> Int32 {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
  return withUnsafeBytes(of: &address) { bytes in
    body(bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
  }
}

private func loopback(_ port: UInt16) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  return address
}

private func withLoopbackAddress(_ port: UInt16, _ body: (UnsafePointer<sockaddr>?, socklen_t) -> Int32) -> Int32 {
  var address = loopback(port)
  return withUnsafeBytes(of: &address) { bytes in
    body(bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
  }
}

/// A TCP port that no process listens on.
private func freePort() throws -> UInt16 {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  guard descriptor >= 0 else { throw Failure("socket") }
  defer { close(descriptor) }
  var address = loopback(0)
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let result = withUnsafeMutableBytes(of: &address) { bytes in
    let pointer = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
    return bind(descriptor, pointer, length) == 0 ? getsockname(descriptor, pointer, &length) : -1
  }
  guard result == 0 else { throw Failure("no free port") }
  return UInt16(bigEndian: address.sin_port)
}
