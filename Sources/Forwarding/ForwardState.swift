import Glibc
import LocationCore
import Recordings

/// Numbers of fixes (``TrackFix/number``): disjoint ranges, ascending, as few as possible.
package struct FixNumbers: Hashable, Sendable {
  /// Wider than a number: the end of a range is behind its last one.
  private var numbers = RangeSet<UInt128>()

  package var ranges: [ClosedRange<UInt64>] { numbers.ranges.map { UInt64($0.lowerBound)...UInt64($0.upperBound - 1) } }

  package mutating func insert(_ added: ClosedRange<UInt64>) {
    numbers.insert(contentsOf: UInt128(added.lowerBound)..<UInt128(added.upperBound) + 1)
  }

  package func contains(_ number: UInt64) -> Bool { numbers.contains(UInt128(number)) }
}

/// What has been acknowledged, ride by ride: the cursor of the forwarder, which it keeps in a file.
/// The file is text, a line for each key: `rides=DIR`, `acknowledged=NANOSECONDS` (time of the last acknowledgement),
/// `lost=COUNT NAME` (rides that were removed too early, and the last one), and for each ride `ride=NAME BYTES RANGE…`:
/// its size when all of it had been acknowledged, else `-`, and the acknowledged numbers.
package struct ForwardState: Hashable, Sendable {
  package struct RideState: Hashable, Sendable {
    /// Numbers that are acknowledged, or were not to be sent.
    package var acknowledged = FixNumbers()
    /// The ride's size in bytes when all of it had been acknowledged; a ride of another size has grown.
    package var completeBytes: Int?
  }

  package static let standardDirectory = "/var/lib/handlebar-forward"
  static let version = "# handlebar-forward 1"

  package var rideDirectory: String
  package var rides: [String: RideState] = [:]
  package var lastAcknowledgement: UTCInstant?
  /// Number of rides that were removed before all of them was acknowledged.
  package var lostRides = 0
  package var lastLostRide: String?

  package init(rideDirectory: String) { self.rideDirectory = rideDirectory }

  package var bytes: [UInt8] {
    var lines = [Self.version, "rides=\(rideDirectory)"]
    if let lastAcknowledgement { lines.append("acknowledged=\(lastAcknowledgement.nanosecondsSince1970)") }
    if let lastLostRide { lines.append("lost=\(lostRides) \(lastLostRide)") }
    var bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
    // Without strings: there can be a hundred thousand rides.
    for (name, ride) in rides.sorted(by: { $0.key < $1.key }) {
      bytes.append(contentsOf: "ride=".utf8)
      bytes.append(contentsOf: name.utf8)
      bytes.append(UInt8(ascii: " "))
      if let size = ride.completeBytes { bytes.append(decimal: Int64(size)) } else { bytes.append(UInt8(ascii: "-")) }
      for range in ride.acknowledged.ranges {
        bytes.append(UInt8(ascii: " "))
        bytes.append(digits: range.lowerBound, width: 1)
        bytes.append(UInt8(ascii: "-"))
        bytes.append(digits: range.upperBound, width: 1)
      }
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }

  /// Reads the contents of a file; `nil` if it is damaged or of another version.
  package init?(bytes: [UInt8]) {
    var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard bytes.last == UInt8(ascii: "\n"), lines.first.map(String.init) == Self.version else { return nil }
    lines.removeFirst()
    var directory: String?
    self.init(rideDirectory: "")
    for line in lines {
      guard let equals = line.firstIndex(of: "=") else { return nil }
      let value = line[line.index(after: equals)...]
      let words = value.split(separator: " ")
      switch line[..<equals] {
      case "rides": directory = String(value)
      case "acknowledged":
        guard let time = Int64(value) else { return nil }
        lastAcknowledgement = UTCInstant(nanosecondsSince1970: time)
      case "lost":
        guard words.count == 2, let count = Int(words[0]), count > 0 else { return nil }
        (lostRides, lastLostRide) = (count, String(words[1]))
      case "ride":
        guard words.count > 1, let ride = RideState(words.dropFirst()) else { return nil }
        rides[String(words[0])] = ride
      default: return nil
      }
    }
    guard let directory else { return nil }
    rideDirectory = directory
  }
}

extension ForwardState.RideState {
  fileprivate init?(_ words: ArraySlice<Substring>) {
    self.init()
    guard let first = words.first else { return nil }
    if first != "-" {
      guard let bytes = Int(first) else { return nil }
      completeBytes = bytes
    }
    for word in words.dropFirst() {
      let bounds = word.split(separator: "-").map { UInt64($0) }
      guard bounds.count == 2, let low = bounds[0], let high = bounds[1], low <= high else { return nil }
      acknowledged.insert(low...high)
    }
  }
}

/// The directory in which a forwarder keeps its state, used by one forwarder at a time.
package final class ForwardStore {
  private let path: String
  private let lock: Int32

  /// Opens the directory; creates it, but not its parents. Another forwarder that uses it is an error (`EBUSY`).
  package init(path: String) throws(RecordingError) {
    self.path = path
    guard mkdir(path, 0o750) == 0 || errno == EEXIST else { throw RecordingError(.create, path, code: errno) }
    // Any user who can read the directory could hold a lock on it.
    lock = open(path + "/lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw RecordingError(.open, path, code: errno) }
    if flock(lock, LOCK_EX | LOCK_NB) != 0 {
      close(lock)
      throw RecordingError(.open, path, code: EBUSY)
    }
  }

  deinit { close(lock) }

  /// The state in a directory, also of a running forwarder; `nil` for none, `unknownFormat` is thrown if damaged.
  package static func read(_ path: String) throws(RecordingError) -> ForwardState? {
    let path = path + "/" + file
    guard let bytes = try RecordingFile.contents(of: path, limit: maximumSize) else { return nil }
    guard let state = ForwardState(bytes: bytes) else {
      throw RecordingError(.read, path, code: RecordingError.unknownFormat)
    }
    return state
  }

  /// Replaces the state atomically; on return it survives a power cut.
  package func write(_ state: ForwardState) throws(RecordingError) {
    try RecordingFile.replace(path + "/" + Self.file, with: state.bytes, mode: 0o640)
  }

  private static let file = "cursor"
  private static let maximumSize = 64 << 20
}
