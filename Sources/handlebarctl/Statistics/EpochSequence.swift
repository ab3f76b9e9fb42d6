import LocationCore

/// The sentences of the epoch at hand in their order; tells when another epoch begins.
///
/// An epoch begins with a new time of day, or when a sentence that ought to carry a time comes once more without. Up to 2 s
/// late is no new time: some receivers' GLL lags. What came without a time behind the longest pause before the new
/// sentence belongs to the new epoch.
struct EpochSequence {
  /// One sentence.
  struct Entry {
    /// Place of its kind in the list of kinds.
    let kind: Int
    let received: MonotonicInstant
    /// Bytes on the wire.
    let bytes: Int
    let role: Role
  }

  /// What a sentence says about the epoch's time.
  enum Role {
    /// The time of day.
    case timed(TimeOfDay)
    /// It ought to tell the time and does not.
    case timeless
    /// Nothing.
    case other
  }

  /// More sentences than any receiver sends in one epoch; further ones have no place in the order.
  private static let bound = 256
  private static let tolerance: Int64 = 10_000_000
  private static let lateness: Int64 = 2_000_000_000

  private(set) var entries: [Entry] = []
  /// The epoch's time of day.
  private(set) var time: TimeOfDay?
  /// Kinds that ought to tell the time and have come.
  private var seen: Set<Int> = []

  /// Takes a sentence, and returns the epoch that it ends, if it does.
  mutating func take(_ entry: Entry) -> EpochSequence? {
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
      let ahead = Self.way(from: time, to: new)
      return ahead > Self.tolerance || ahead < -Self.lateness
    }
  }

  /// Where the new epoch's sentences begin: behind the longest pause since the last one that ought to tell the time.
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

  /// Nanoseconds from one time of day to another, the short way around midnight.
  static func way(from old: TimeOfDay, to new: TimeOfDay) -> Int64 {
    let way = new.nanoseconds - old.nanoseconds
    if way > TimeOfDay.day / 2 { return way - TimeOfDay.day }
    return way < -TimeOfDay.day / 2 ? way + TimeOfDay.day : way
  }
}
