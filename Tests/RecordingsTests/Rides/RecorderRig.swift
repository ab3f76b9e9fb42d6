import LocationCore

@testable import Recordings

/// A recorder behind a receiver, as in the daemon.
struct RecorderRig: ~Copyable {
  var recorder: RideRecorder
  private var receiver = NMEAReceiver()
  /// The monotonic clock's milliseconds at GPS second 0.
  private let zero: Int64

  /// Starts recording at a GPS second (of ``epochText(at:north:knots:)``), at an uptime in milliseconds,
  /// with the system clock at `utc`.
  init(
    in path: String, at second: Int, uptime: Int64 = 60_000, boot: String = "11111111", utc: UTCInstant? = nil,
    policy: RidePolicy = RidePolicy()
  ) throws {
    zero = uptime - Int64(second) * 1000
    recorder = try RideRecorder(
      in: path, header: RecordingHeader(devices: ["/dev/gps0"], boot: boot), boot: boot, policy: policy,
      at: .milliseconds(uptime), utc: utc)
  }

  /// Feeds bytes of the receiver.
  mutating func read(_ bytes: [UInt8], at instant: MonotonicInstant, utc: UTCInstant? = nil) throws {
    try recorder.read(bytes, from: 0, at: instant, utc: utc)
    var fixes: [(Fix, Bool)] = []
    bytes.withUnsafeBytes { buffer in
      receiver.receive(buffer, at: instant) { epoch in
        if case .fix(let fix, let suspect) = epoch.outcome { fixes.append((fix, suspect)) }
      }
    }
    for (fix, suspect) in fixes { try recorder.published(fix, isSuspect: suspect, at: instant) }
    try recorder.tick(at: instant)
  }

  /// Rides north at a speed, from one second to another, or stops.
  mutating func ride(_ seconds: ClosedRange<Int>, from north: Double = 0, knots: Int = 20) throws {
    for second in seconds {
      let way = Double(knots) * 1852 / 3600 * Double(second - seconds.lowerBound)
      try read(
        epochText(at: second, north: north + way, knots: "\(knots).0"),
        at: .milliseconds(zero + Int64(second) * 1000 + 100))
    }
  }
}
