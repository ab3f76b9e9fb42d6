import CBench
import Glibc

/// The least work possible: reads a terminal, counts line ends, and after each epoch writes one line to every client.
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
          clients.removeAll { !line.send(to: $0) }
        }
      }
    }
  }

  /// A line of the usual length in which only the time changes.
  private struct Line {
    private var bytes: [UInt8]
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

    /// Sends all of it and waits for room in the socket's buffer; `false` when the peer has closed.
    func send(to client: Int32) -> Bool {
      bytes.withUnsafeBytes { line in
        var sent = 0
        while sent < line.count {
          let rest = UnsafeRawBufferPointer(rebasing: line[sent...])
          let count = Glibc.send(client, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
          if count > 0 {
            sent += count
          } else if errno != EINTR {
            return false
          }
        }
        return true
      }
    }
  }

  private static func listen(at path: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw Failure("socket") }
    let result = withSocketAddress(path) { bind(descriptor, $0, $1) }
    guard result == 0, Glibc.listen(descriptor, 512) == 0 else { throw Failure(path) }
    return descriptor
  }
}
