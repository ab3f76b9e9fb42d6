import CBench
import Glibc

/// The floor: reads a line, counts line ends, and after each epoch writes one line to every client.
enum Floor {
  /// Runs until it is killed.
  static func run(terminal path: String, socket: String) throws -> Never {
    let terminal = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK)
    guard terminal >= 0 else { throw Failure(path) }
    let listener = try listen(at: socket)
    let poller = try Poller()
    try poller.add(listener, tag: 0)
    try poller.add(terminal, tag: 1)
    var clients: [Int32] = []
    var lines = 0
    var input = [UInt8](repeating: 0, count: 4096)
    while true {
      try poller.wait(until: Clock.now + 3_600_000_000_000) { tag in
        guard tag != 0 else {
          let client = accept(listener, nil, nil)
          if client >= 0 { clients.append(client) }
          return
        }
        let count = read(terminal, &input, input.count)
        guard count > 0 else { return }
        let before = lines / RideText.sentences
        for index in 0..<count where input[index] == 0x0A { lines += 1 }
        for epoch in before..<lines / RideText.sentences {
          let line = Array(text(of: epoch).utf8)
          clients.removeAll {
            send($0, line, line.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT)) < 0 && errno != EAGAIN
          }
        }
      }
    }
  }

  private static func text(of epoch: Int) -> String {
    let time = RideText.begin + epoch * 1000 / RideText.rate
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let seconds = time / 1000
    let clock = "\(two(seconds / 3600)):\(two(seconds / 60 % 60)):\(two(seconds % 60)).\(time % 1000 / 100)00"
    let filling = String(repeating: "x", count: 280)
    return "{\"class\":\"TPV\",\"time\":\"2026-03-19T\(clock)Z\",\"lat\":48,\"filling\":\"\(filling)\"}\r\n"
  }

  private static func listen(at path: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafeBytes(of: &address) { bytes in
      bind(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
    }
    guard result == 0, Glibc.listen(descriptor, 512) == 0 else { throw Failure(path) }
    return descriptor
  }
}
