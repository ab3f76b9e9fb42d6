import GPSDProtocol
import Glibc
import LocationCore

/// A daemon that cannot start, under a service manager that holds its sockets: says why to the manager, and to every
/// client that waits.
///
/// A connection that nobody takes makes the manager start the daemon again at once, over and over, until it gives the
/// socket up (systemd.socket(5), `TriggerLimitBurst=`). Here each is taken, told, and closed, and so are those that come
/// a little later: as long as that lasts there is no next start.
package struct FailedStart {
  /// How long clients that come back are told, once one was there: a start in five seconds is no load.
  package static let patience = Duration.seconds(5)

  private let environment: [String: String]
  private let handedOver: [(descriptor: Int32, name: String)]

  /// `environment` is that of the process before anything was taken from it.
  package init(environment: [String: String]) {
    self.init(environment: environment, handedOver: ActivatedSockets.handedOver(environment: environment))
  }

  init(environment: [String: String], handedOver: [(descriptor: Int32, name: String)]) {
    self.environment = environment
    self.handedOver = handedOver
  }

  /// Tells why; returns at once when no client waits.
  package func tell(_ message: String, code: String, remedy: String?, for patience: Duration = Self.patience) {
    ServiceManager(environment: environment)?.tell(.status("cannot start: \(message)"))
    // Whoever stops this process is not kept waiting.
    for number in [SIGTERM, SIGINT, SIGHUP] { signal(number, SIG_DFL) }
    for (descriptor, _) in handedOver {
      let flags = fcntl(descriptor, F_GETFL)
      if flags >= 0 { _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
    }
    var line = JSONLine(capacity: 512)
    ErrorReport(message: "the daemon cannot start: \(message)", code: code, remedy: remedy).write(into: &line)
    let words = Array(line.bytes)
    var sockets = handedOver.map { (pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0), $0.name == "nmea") }
    var deadline: MonotonicInstant?
    while true {
      let left = deadline.map { max(0, ($0 - EngineClock.machine).nanoseconds / 1_000_000) } ?? 0
      var polled = sockets.map(\.0)
      let count = poll(&polled, nfds_t(polled.count), Int32(clamping: left))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      for index in polled.indices where polled[index].revents != 0 {
        let isSentences = sockets[index].1
        guard refuse(one: polled[index].fd, saying: isSentences ? [] : words) else {
          // No client can be had from this one; poll(2) passes negative numbers over.
          sockets[index].0.fd = -1
          continue
        }
        deadline = deadline ?? EngineClock.machine + patience
      }
    }
  }

  /// Whether a client was, or could still be, there.
  private func refuse(one listener: Int32, saying words: [UInt8]) -> Bool {
    let client = accept(listener, nil, nil)
    guard client >= 0 else { return [EAGAIN, EINTR, ECONNABORTED].contains(errno) }
    defer { close(client) }
    let flags = CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)
    if !words.isEmpty { _ = send(client, words, words.count, flags) }
    shutdown(client, Int32(SHUT_WR))
    // What it has asked already is taken off: over TCP a close before that would take the words back.
    var asked = [UInt8](repeating: 0, count: 4096)
    _ = recv(client, &asked, asked.count, CInt(MSG_DONTWAIT))
    return true
  }
}
