import LocationCore

/// The sentences of the open epoch in order; finds where the next begins: at a new time of day, or when a timed type
/// without a time repeats. A time up to 2 s late is not new: some receivers' GLL lags. Untimed sentences after the
/// longest pause before the new sentence belong to the new epoch.
struct EpochSequence {
  struct Entry {
    let kind: Int
    let received: MonotonicInstant
    let bytes: Int
    let role: Role
  }

  enum Role {
    case timed(TimeOfDay)
    /// A timed type without a time.
    case timeless
    case other
  }

  /// More sentences than any receiver sends in one epoch; further ones are not part of the order.
  private static let bound = 256
  private static let tolerance: Int64 = 10_000_000
  private static let lateness: Int64 = 2_000_000_000

  private(set) var entries: [Entry] = []
  private(set) var time: TimeOfDay?
  private var seen: Set<Int> = []

  /// Takes a sentence; returns the epoch that it ends, if any.
  mutating func add(_ entry: Entry) -> EpochSequence? {
    var ended: EpochSequence?
    if begins(entry) {
      let boundary = boundary(before: entry)
      var next = EpochSequence()
      next.entries = Array(entries[boundary...])
      ended = self
      ended?.entries.removeLast(entries.count - boundary)
      self = next
    }
    switch entry.role {
    case .timed(let time):
      if self.time == nil { self.time = time }
      seen.insert(entry.kind)
    case .timeless: seen.insert(entry.kind)
    case .other: break
    }
    if entries.count < Self.bound { entries.append(entry) }
    return ended
  }

  private func begins(_ entry: Entry) -> Bool {
    switch entry.role {
    case .other: return false
    case .timeless: return seen.contains(entry.kind)
    case .timed(let new):
      guard let time else { return !seen.isEmpty }
      let ahead = TimeOfDay.nearestDay(new.nanoseconds - time.nanoseconds)
      return ahead > Self.tolerance || ahead < -Self.lateness
    }
  }

  /// Index of the new epoch's first sentence: after the longest pause since the last timed one.
  private func boundary(before entry: Entry) -> Int {
    var boundary = entries.count
    var longest = entry.received - (entries.last?.received ?? entry.received)
    for index in entries.indices.dropFirst().reversed() {
      guard case .other = entries[index].role else { break }
      let pause = entries[index].received - entries[index - 1].received
      if pause > longest { (longest, boundary) = (pause, index) }
    }
    return boundary
  }
}

extension EpochSequence.Role {
  private static let timed: Set<SentenceType> = [.rmc, .gga, .gll, .gns, .zda, .pubx00, .psti030, .ptnlGGK]

  init(_ type: SentenceType, _ values: SentenceValues?) {
    guard Self.timed.contains(type) else {
      self = .other
      return
    }
    if case .time(let time) = values?["time"] { self = .timed(time) } else { self = .timeless }
  }
}
