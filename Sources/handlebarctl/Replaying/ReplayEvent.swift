import Dispatch
import Glibc
import LocationClient

/// What happens while a replay is watched.
enum ReplayEvent: Sendable {
  /// A key was pressed.
  case key(ReplayKey)
  /// A signal came.
  case signal(Int32)
  /// The daemon said something on standard error.
  case complaint(String)
  /// The daemon can say nothing more there: it has ended.
  case silence
  /// The daemon told something.
  case update(LocationClient.Update)
  /// A tenth of a second has passed.
  case tick
}

/// Reads keys, signals and the daemon's complaints on a thread of its own: each may come at any time.
struct ReplayInput: Sendable {
  private static let tick: Int32 = 100

  let keys: Bool
  let signals: Int32?
  let errors: Int32

  /// Begins to read; goes on until the program ends.
  func start(_ body: @escaping @Sendable (ReplayEvent) -> Void) {
    DispatchQueue(label: "handlebarctl.replay").async { read(body) }
  }

  private func read(_ body: (ReplayEvent) -> Void) {
    var keyReader = ReplayKeyReader()
    var complaint: [UInt8] = []
    var watched = [
      pollfd(fd: keys ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: signals ?? -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
    ]
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let ready = poll(&watched, nfds_t(watched.count), Self.tick)
      if ready == 0 { body(.tick) }
      guard ready > 0 else { continue }
      for index in watched.indices where watched[index].revents != 0 {
        let count = Glibc.read(watched[index].fd, &piece, piece.count)
        guard count > 0 else {
          guard count == 0 || (errno != EAGAIN && errno != EINTR) else { continue }
          watched[index].fd = -1
          if index == 2 { body(.silence) }
          continue
        }
        switch index {
        case 0: for key in keyReader.take(piece[..<count]) { body(.key(key)) }
        case 1: for number in piece[..<count] { body(.signal(Int32(number))) }
        default:
          complaint += piece[..<count]
          while let end = complaint.firstIndex(of: UInt8(ascii: "\n")) {
            body(.complaint(String(decoding: complaint[..<end], as: UTF8.self)))
            complaint.removeFirst(end + 1)
          }
          if complaint.count > 65_536 { complaint = [] }
        }
      }
    }
  }
}
