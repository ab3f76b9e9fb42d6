import GPSDProtocol
import Glibc

/// A minimal client: a socket and lines.
final class TestClient {
  /// The daemon closed the connection.
  struct Ended: Error {}

  let descriptor: Int32
  private(set) var hasEnded = false
  private var splitter = LineSplitter()
  private var waiting: [ReceivedLine] = []

  /// Connects; `nil` if no process listens.
  init?(to path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw SystemFailure("socket") }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let outcome = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard outcome == 0 else {
      guard errno == ENOENT || errno == ECONNREFUSED else { throw SystemFailure("connect") }
      return nil
    }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  deinit { close(descriptor) }

  /// Sends all of it, or throws `Ended`.
  func send(_ text: String) throws {
    guard try sendSome(text, within: Deadline.timeout) == text.utf8.count else {
      throw Deadline.Late(description: "the daemon does not read")
    }
  }

  /// Sends as much as the daemon accepts in time; returns the number of bytes.
  func sendSome(_ text: String, within duration: Duration) throws -> Int {
    let deadline = Deadline(in: duration)
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty, deadline.wait(for: descriptor, POLLOUT) {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EPIPE || errno == ECONNRESET {
        throw Ended()
      }
    }
    return text.utf8.count - rest.count
  }

  /// The next line.
  func next(within duration: Duration = Deadline.timeout) throws -> ReceivedLine {
    let deadline = Deadline(in: duration)
    while true {
      if !waiting.isEmpty { return waiting.removeFirst() }
      if hasEnded { throw Ended() }
      guard deadline.wait(for: descriptor, POLLIN) else {
        throw Deadline.Late(description: "nothing came within \(duration)")
      }
      try receive()
    }
  }

  /// All received lines, without waiting.
  func take() throws -> [ReceivedLine] {
    while !hasEnded, Deadline(in: .zero).wait(for: descriptor, POLLIN) { try receive() }
    defer { waiting.removeAll() }
    return waiting
  }

  /// The value of the next line for which `value` is not `nil`; other lines are skipped.
  func wait<Value>(
    for what: String, within duration: Duration = Deadline.timeout, _ value: (ReceivedLine) -> Value?
  ) throws -> Value {
    let deadline = Deadline(in: duration)
    var before: [ReceivedLine] = []
    while true {
      do {
        let line = try next(within: .milliseconds(Int(deadline.milliseconds)))
        if let value = value(line) { return value }
        before.append(line)
      } catch is Deadline.Late {
        throw Deadline.Late(description: "no \(what) within \(duration), but \(before.suffix(6))")
      }
    }
  }

  /// The next line of that class.
  func line(_ name: String) throws -> ReceivedLine {
    try wait(for: name) { $0.name == name ? $0 : nil }
  }

  /// The next state of the leading source that has this name.
  func state(_ name: String, within duration: Duration = Deadline.timeout) throws -> StateReport {
    try wait(for: "STATE \(name)", within: duration) { line in
      if case .state(let state) = line.report, state.phase.rawValue == name { state } else { nil }
    }
  }

  /// The next fix.
  func fix(within duration: Duration = Deadline.timeout) throws -> TPV {
    try wait(for: "TPV", within: duration) { if case .tpv(let fix) = $0.report { fix } else { nil } }
  }

  /// The next error.
  func error(within duration: Duration = Deadline.timeout) throws -> ErrorReport {
    try wait(for: "ERROR", within: duration) { if case .error(let error) = $0.report { error } else { nil } }
  }

  /// All lines up to the end of the connection.
  func waitForEnd(within duration: Duration = Deadline.timeout) throws -> [ReceivedLine] {
    let deadline = Deadline(in: duration)
    var lines: [ReceivedLine] = []
    do {
      while true { lines.append(try next(within: .milliseconds(Int(deadline.milliseconds)))) }
    } catch is Ended {
      return lines
    }
  }

  private func receive() throws {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    if count > 0 {
      waiting += try splitter.append(bytes[..<count])
    } else if count == 0 || errno == ECONNRESET {
      hasEnded = true
    }
  }
}
