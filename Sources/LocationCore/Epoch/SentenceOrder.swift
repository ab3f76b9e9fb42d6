/// The order in which a receiver sends the sentences of an epoch, as far as it can be relied on: which
/// sentence that a fix needs comes last.
///
/// A sentence is *regular* when at least three quarters of the last eight epochs had it and needed it. The last one
/// is the regular sentence behind which no other regular one comes. What comes behind it now and then (GSA in every
/// fifth epoch), or says again what was said (GLL), neither delays an epoch nor unlearns the order; what comes there
/// regularly becomes the last itself; and a last one that stays away is replaced.
///
/// A mark that comes several times in an epoch (GSA of each system) has as many entries.
struct SentenceOrder: Sendable {
  /// More kinds of sentences than any receiver sends in one epoch; further ones are not learned.
  private static let capacity = 40
  private static let window = 8

  private struct Entry {
    var mark: SentenceMark
    /// One bit for each of the last epochs that needed it, the newest lowest.
    var presence: UInt8
    /// The place in the epoch at hand, from 1; 0 when it has not come.
    var place: Int
    /// Whether the epoch at hand needs it.
    var isNeeded: Bool
  }

  private var entries: [Entry] = []
  private var places = 0
  private var epochs = 0
  private var last: Int?

  /// Notes a sentence of the epoch at hand. Returns whether it is the learned last one.
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

  /// Learns from the epoch at hand, which is complete.
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

  /// Learns that a sentence came behind all others of the epoch that was learned from last.
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
