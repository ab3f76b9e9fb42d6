import Glibc

/// The journal's own protocol: an entry is a datagram.
struct JournalSocket {
  /// What became of an entry.
  enum Outcome: Hashable {
    case taken
    /// The journal does not keep up.
    case full
    /// It does not listen.
    case gone
  }

  private let socket: Int32
  private let address: UnixAddress

  /// `nil` when no socket can be had. It stays open as long as the process.
  init?(path: String) {
    guard let address = UnixAddress(path) else { return nil }
    socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return nil }
    self.address = address
  }

  /// Sends an entry without waiting. A journal that was started anew is reached again: nothing is connected.
  func send(_ entry: [UInt8]) -> Outcome {
    let sent = address.withSocketAddress { pointer, length in
      sendto(socket, entry, entry.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL), pointer, length)
    }
    if sent >= 0 { return .taken }
    return errno == EAGAIN || errno == ENOBUFS ? .full : .gone
  }
}
