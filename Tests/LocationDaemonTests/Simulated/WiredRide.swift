import GPSDProtocol
import LocationCore
import NIOCore
import RideTools

@testable import LocationDaemon

/// A simulated ride through the daemon on virtual time, over a line that brings one byte at a time: each is there when
/// the line has sent it.
struct WiredRide {
  /// A fix and the byte behind which a client had it.
  struct Published {
    let fix: TPV
    /// The number of the epoch's bytes that had come.
    let bytes: Int
  }

  /// One epoch as the receiver sent it.
  struct Heard {
    let epoch: SimulatedEpoch
    /// What came of it before the first byte of the next.
    let published: [Published]
  }

  private(set) var epochs: [Heard] = []
  /// What the daemon counted.
  let counters: ReceiverCounters

  /// So many epochs of a receiver over a line of so many bit/s.
  init(_ receiver: ReceiverProfile, speed: Int, epochs count: Int) throws {
    var options = try SimulationOptions(named: "tour")
    try options.set(.seed, to: "21")
    try options.set(.length, to: "3000")
    var ride = try options.ride()
    ride.receiver = receiver
    ride.receiver.lineSpeed = speed
    ride.receiver.readSize = 1
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = try daemon.watch(filter: 0)
    let start = daemon.now + .seconds(1)
    var feed = RideFeed(ride)
    var bytes = 0
    var published: [Published] = []
    while epochs.count < count, let item = feed.next() {
      switch item {
      case .event: break
      case .read(let read, let offset):
        // What a time-out tells before this byte is not told by it.
        daemon.advance((start + offset - daemon.now).inSeconds)
        published += try client.take().fixes.map { Published(fix: $0, bytes: -bytes) }
        bytes += read.count
        daemon.sink().sourceDidReceive(ByteBuffer(bytes: read), at: daemon.now)
        published += try client.take().fixes.map { Published(fix: $0, bytes: bytes) }
      case .epoch(let epoch):
        epochs.append(Heard(epoch: epoch, published: published.filter { $0.fix.reason != "snapshot" }))
        published = []
        bytes = 0
      }
    }
    counters = daemon.host.engine.sources[0].counters
  }
}

extension WiredRide.Heard {
  /// Sentences that say again what RMC, or any position, has said, or nothing about a fix.
  private static let repeating: Set = ["VTG", "GLL", "ZDA", "GSV"]

  /// How many bytes it takes until all that the fix needs is there: up to the checksum of the last such sentence.
  var needed: Int? {
    var end: Int?
    var start = 0
    for line in epoch.sentences.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      let text = String(decoding: line, as: UTF8.self)
      if !Self.repeating.contains(String(text.prefix(6).suffix(3))), let star = line.firstIndex(of: UInt8(ascii: "*")) {
        end = start + (star - line.startIndex) + 3
      }
      start += line.count + 1
    }
    return end
  }

  /// The fix of all its sentences, when one waits for the last.
  var whole: Fix? {
    var receiver = NMEAReceiver()
    var fix: Fix?
    epoch.sentences.withUnsafeBytes { receiver.receive($0, at: .zero) { _ in } }
    receiver.endOfInput(at: .zero) { if case .fix(let one, _) = $0.outcome { fix = one } }
    return fix
  }
}
