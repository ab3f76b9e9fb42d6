import Glibc
import LocationCore
import Testing

@testable import Forwarding
@testable import Recordings

/// Rides recorded by the recorder itself, a fix a second.
final class TestRides {
  let path: String
  private var recorder: RideRecorder?
  /// Monotonic and UTC seconds, the same.
  private(set) var second: Int64 = 0
  /// 2026-03-19.
  private static let midnight = UTCInstant(nanosecondsSince1970: 1_773_878_400_000_000_000)

  init() {
    var template = Array("/tmp/handlebar-test-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? "/nonexistent"
    }
  }

  deinit {
    recorder = nil
    for file in files { unlink(path + "/" + file) }
    rmdir(path)
  }

  var directory: RideDirectory { get throws { try RideDirectory(existing: path) } }

  var files: [String] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var files: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != "." && name != ".." { files.append(name) }
    }
    return files.sorted()
  }

  func start(hasClock: Bool = true, boot: String = "1f0c9a7e", maximumRides: Int = 100) throws {
    let policy = RidePolicy(maximumRides: maximumRides)
    recorder = try RideRecorder(
      in: path, header: RecordingHeader(devices: ["/dev/gps0"], boot: boot), boot: boot, policy: policy, at: instant,
      utc: hasClock ? utc : nil)
    finishWork()
  }

  /// Does all work that the daemon does in pieces.
  private func finishWork() {
    while recorder?.hasWork ?? false { recorder?.work() }
  }

  func stop() throws {
    try recorder?.stop(at: instant)
    cutPower()
  }

  /// Ends the recording as a power cut does: without the recorder's end.
  func cutPower() {
    recorder = nil
    wait { RecordingFile.isBeingWritten($0) }
  }

  /// Waits while a file has a lock, at most 20 s: a child that another test is starting has the locks of this process
  /// until it executes its program.
  func wait(while isLocked: (String) -> Bool) {
    for _ in 0..<20_000 {
      guard files.contains(where: { isLocked(path + "/" + $0) }) else { return }
      usleep(1000)
    }
  }

  func pause(_ seconds: Int64) { second += seconds }

  /// Records so many epochs, each of two reads; without a date until the receiver knows it.
  func ride(_ epochs: Int, every step: Int64 = 1, hasDate: Bool = true) throws {
    let position = try #require(Coordinate(latitude: 48, longitude: 11.5))
    for _ in 0..<epochs {
      second += step
      let place = 4800 + Double(second % 5999) / 100
      let clock = Self.digits(second / 3600 % 24) + Self.digits(second / 60 % 60) + Self.digits(second % 60)
      let date = Self.midnight.date
      let day = Self.digits(Int64(date.day)) + Self.digits(Int64(date.month)) + Self.digits(Int64(date.year % 100))
      let line = "\(place),N,01130.00,E"
      if hasDate { try read("GNRMC,\(clock).00,A,\(line),20.0,45.0,\(day),,,A") }
      try read("GNGGA,\(clock).00,\(line),1,09,0.9,500.0,M,46.0,M,,")
      let fix = Fix(position: position, mode: .threeD, measured: hasDate ? utc : nil, received: instant)
      try recorder?.published(PublishedFix(fix: fix, seq: 0, source: 0), at: instant)
      finishWork()
    }
  }

  private func read(_ body: String) throws {
    let sum = body.utf8.reduce(0, ^)
    let hex = String(sum, radix: 16, uppercase: true)
    let line = "$\(body)*\(hex.utf8.count < 2 ? "0" : "")\(hex)\r\n"
    try recorder?.read(Array(line.utf8), from: 0, at: instant, utc: utc)
  }

  private var instant: MonotonicInstant { .zero + .seconds(second) }
  private var utc: UTCInstant { Self.midnight + .seconds(second) }
  private static func digits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// A queue whose test plays the sender.
final class TestSender {
  let queue: RideQueue
  private let rides: TestRides
  private(set) var sent: [QueuedFix] = []
  private var now = MonotonicInstant.zero

  init(_ rides: TestRides, state: ForwardState? = nil, filter: Double = 0, liveFirst: Bool = false) throws {
    self.rides = rides
    queue = RideQueue(
      try rides.directory, state: state ?? ForwardState(rideDirectory: rides.path),
      filter: try FilterConfiguration(distance: filter), liveFirst: liveFirst)
  }

  /// Takes all fixes there are, at most `limit`, 3 s after the last time; acknowledges them.
  @discardableResult
  func take(_ limit: Int = .max, acknowledges: Bool = true) throws -> [QueuedFix] {
    now = now + .seconds(3)
    var taken: [QueuedFix] = []
    while taken.count < limit, let fix = try queue.next(at: now) {
      taken.append(fix)
      if acknowledges { queue.acknowledge(fix, at: nil) }
    }
    sent += taken
    return taken
  }

  func beginLive() throws { try queue.beginLive(at: now) }

  func next() throws -> QueuedFix? { try queue.next(at: now) }

  func hold() throws {
    now = now + .seconds(3)
    try queue.holdRides(at: now)
  }

  /// The state after a restart.
  var restored: ForwardState { ForwardState(bytes: queue.state.bytes) ?? ForwardState(rideDirectory: "damaged") }
}

extension [QueuedFix] {
  var keys: [String] { map { "\($0.ride) \($0.numbers.upperBound)" } }
  var times: [UTCInstant] { compactMap(\.fix.measured) }
}
