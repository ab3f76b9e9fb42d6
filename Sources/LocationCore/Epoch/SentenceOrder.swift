/// The learned order of a receiver's sentences: which sentence that a fix needs is the last of an epoch. A sentence is
/// *regular* when at least three quarters of the last eight epochs had it and needed it. The last one is the regular
/// sentence that no other regular one follows. A sentence that follows it occasionally (GSA in every fifth epoch) or
/// repeats known values (GLL) neither delays an epoch nor resets the order; one that follows regularly becomes the
/// last; a last sentence that stops arriving is replaced. A mark that occurs several times in an epoch (GSA of each
/// system) has as many entries.
struct SentenceOrder: Sendable {
  /// Maximum number of entries, more than any receiver sends in one epoch; further ones are not learned.
  private static let capacity = 40
  private static let window = 8

  private struct Entry {
    var mark: SentenceMark
    /// One bit for each of the last epochs that needed the sentence, the newest lowest.
    var presence: UInt8
    /// Position in the current epoch, from 1; 0 if not received.
    var place: Int
    var isNeeded: Bool
  }

  private var entries: [Entry] = []
  private var places = 0
  private var epochs = 0
  private var last: Int?

  /// Records a sentence of the current epoch. Returns whether it is the learned last one.
  mutating func arrived(_ mark: SentenceMark, isNeeded: Bool) -> Bool {
    places += 1
    for index in entries.indices where entries[index].mark == mark && entries[index].place == 0 {
      entries[index].place = places
      entries[index].isNeeded = isNeeded
      return index == last
    }
    let entry = Entry(mark: mark, presence: 0, place: places, isNeeded: isNeeded)
    if entries.count < Self.capacity {
      entries.append(entry)
    } else if let index = entries.indices.first(where: { entries[$0].presence == 0 && entries[$0].place == 0 }) {
      entries[index] = entry
    }
    return false
  }

  /// Learns from the current epoch, which is complete.
  mutating func finish() {
    epochs = min(epochs + 1, Self.window)
    places = 0
    for index in entries.indices {
      let counts = entries[index].place > 0 && entries[index].isNeeded
      entries[index].presence = entries[index].presence << 1 | (counts ? 1 : 0)
    }
    learn()
    for index in entries.indices { entries[index].place = 0 }
  }

  /// Learns that a sentence followed all others of the last learned epoch.
  mutating func followed(_ mark: SentenceMark) {
    let index: Int
    if let known = entries.firstIndex(where: { $0.mark == mark }) {
      index = known
    } else if entries.count < Self.capacity {
      index = entries.count
      entries.append(Entry(mark: mark, presence: 0, place: 0, isNeeded: false))
    } else {
      return
    }
    entries[index].presence |= 1
    if epochs >= 2, isRegular(entries[index]) { last = index }
  }

  private mutating func learn() {
    guard epochs >= 2 else { return }
    var newest: Int?
    for index in entries.indices where isRegular(entries[index]) && entries[index].place > 0 {
      if let best = newest, entries[best].place > entries[index].place { continue }
      newest = index
    }
    guard let last, isRegular(entries[last]) else {
      last = newest
      return
    }
    guard let newest, entries[last].place > 0, entries[newest].place > entries[last].place else { return }
    self.last = newest
  }

  private func isRegular(_ entry: Entry) -> Bool {
    let seen = (entry.presence & UInt8(truncatingIfNeeded: (1 << epochs) - 1)).nonzeroBitCount
    return seen >= epochs - epochs / 4
  }
}
