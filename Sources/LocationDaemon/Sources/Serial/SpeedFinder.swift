import LocationCore

/// Finds the speed of a serial line by trying: a speed is right when sentences with valid checksums arrive.
///
/// The last good one goes first. A speed is left after 2 s, or as soon as enough bytes came without a sentence.
struct SpeedFinder {
  /// What to do next.
  enum Action: Hashable {
    /// Set this speed and go on reading.
    case set(Int)
    /// Every speed was tried and none gave a sentence; the search goes on from the start.
    case exhausted(bytes: Int, next: Int)
  }

  /// The usual speeds of receivers, the most frequent first.
  static let candidates = [38_400, 9600, 115_200, 4800, 57_600, 230_400, 460_800, 921_600]
  /// How long a speed is tried.
  static let patience = Duration.seconds(2)

  /// Fewer bytes than these without a sentence are no sign of anything.
  static let tellingBytes = 100

  private let order: [Int]
  private var index = 0
  private var triedSince: MonotonicInstant
  private var sentencesBefore: UInt64
  private var bytesBefore: UInt64
  private var bytesThisRound = 0
  private(set) var isFound = false

  /// Starts a search through `order`; a line with one speed has an order of one.
  init(order: [Int], sentences: UInt64, bytes: UInt64, at instant: MonotonicInstant) {
    precondition(!order.isEmpty)
    self.order = order
    triedSince = instant
    sentencesBefore = sentences
    bytesBefore = bytes
  }

  /// The candidates with the speed that worked last in front.
  static func order(lastGood: Int?) -> [Int] {
    guard let lastGood else { return candidates }
    return [lastGood] + candidates.filter { $0 != lastGood }
  }

  /// The speed being tried or found.
  var speed: Int { order[index] }

  /// When the present speed has had its time; `nil` once found.
  var deadline: MonotonicInstant? { isFound ? nil : triedSince + Self.patience }

  /// Takes in how many valid sentences and bytes the line has given in all.
  mutating func observe(sentences: UInt64) {
    if sentences > sentencesBefore { isFound = true }
  }

  /// Moves on when the present speed has had its time.
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
