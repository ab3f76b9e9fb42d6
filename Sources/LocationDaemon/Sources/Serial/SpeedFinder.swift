import LocationCore

/// Detects the speed of a serial line: a speed is right when sentences with valid checksums arrive. The candidates are
/// tried in turn, the last good speed first, for 2 s each.
struct SpeedFinder {
  enum Action: Hashable {
    case set(Int)
    /// No candidate gave a sentence, only that many bytes; the search restarts at `next`.
    case exhausted(bytes: Int, next: Int)
  }

  /// Every speed to which a receiver can be set, the most frequent first.
  static let candidates = [38_400, 9600, 115_200, 4800, 57_600, 19_200, 230_400, 460_800, 921_600]
  static let timeout = Duration.seconds(2)
  /// Number of bytes without a sentence that is significant.
  static let minimumBytes = 100

  private let order: [Int]
  private var index = 0
  private var triedSince: MonotonicInstant
  private var sentencesBefore: UInt64
  private var bytesBefore: UInt64
  private var bytesThisRound = 0
  private(set) var isFound = false

  /// Starts a search through `order`, which has one element for a line with a fixed speed.
  init(order: [Int], sentences: UInt64, bytes: UInt64, at instant: MonotonicInstant) {
    precondition(!order.isEmpty)
    self.order = order
    triedSince = instant
    sentencesBefore = sentences
    bytesBefore = bytes
  }

  static func order(lastGood: Int?) -> [Int] {
    guard let lastGood else { return candidates }
    return [lastGood] + candidates.filter { $0 != lastGood }
  }

  var speed: Int { order[index] }
  /// The end of the current try; `nil` once the speed is found.
  var deadline: MonotonicInstant? { isFound ? nil : triedSince + Self.timeout }

  mutating func observe(sentences: UInt64) { if sentences > sentencesBefore { isFound = true } }

  mutating func expire(sentences: UInt64, bytes: UInt64, at instant: MonotonicInstant) -> Action? {
    observe(sentences: sentences)
    guard let deadline, instant >= deadline else { return nil }
    bytesThisRound += Int(clamping: bytes &- bytesBefore)
    bytesBefore = bytes
    sentencesBefore = sentences
    triedSince = instant
    index += 1
    guard index < order.count else {
      index = 0
      defer { bytesThisRound = 0 }
      return .exhausted(bytes: bytesThisRound, next: speed)
    }
    return .set(speed)
  }
}
