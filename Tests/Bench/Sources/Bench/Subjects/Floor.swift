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
    var line = Line()
    while true {
      try poller.wait(until: .max) { tag in
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
          line.epoch = epoch
          clients.removeAll {
            send($0, line.bytes, line.bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT)) < 0 && errno != EAGAIN
          }
        }
      }
    }
  }

  /// A line of the usual length in which only the time changes.
  private struct Line {
    private(set) var bytes: [UInt8]
    private let clock: Int

    init() {
      let head = "{\"class\":\"TPV\",\"time\":\"2026-03-19T"
      let filling = String(repeating: "x", count: 280)
      bytes = Array("\(head)00:00:00.000Z\",\"lat\":48,\"filling\":\"\(filling)\"}\r\n".utf8)
      clock = head.utf8.count
    }

    var epoch = 0 {
      didSet {
        let time = RideText.begin + epoch * 1000 / RideText.rate
        let seconds = time / 1000
        put(seconds / 3600, at: 0)
        put(seconds / 60 % 60, at: 3)
        put(seconds % 60, at: 6)
        put(time % 1000 / 10, at: 9)
      }
    }

    private mutating func put(_ value: Int, at place: Int) {
      bytes[clock + place] = UInt8(48 + value / 10)
      bytes[clock + place + 1] = UInt8(48 + value % 10)
    }
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
