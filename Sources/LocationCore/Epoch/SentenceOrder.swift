/// The learned order of a receiver's sentences: which sentence that a fix needs is the last of an epoch. A sentence is
/// *regular* when at least three quarters of the last eight epochs had it and needed it. The last one is the regular
/// sentence that no other regular one follows. A sentence that repeats known values (GLL) neither delays an epoch nor
/// resets the order; one that follows regularly becomes the last; a last sentence that stops arriving is replaced. A
/// rarer one whose pattern repeats itself (GGA in every fourth epoch) is awaited in the epochs in which it is due
/// behind the last, and in no other. After each of the first two surprises of a sentence, until its pattern is known,
/// epochs are not completed by a sentence. A mark that occurs several times in an epoch (GSA of each system) has as
/// many entries.
struct SentenceOrder: Sendable {
  /// Maximum number of entries, more than any receiver sends in one epoch; further ones are not learned.
  private static let capacity = 40
  private static let window = 8
  /// Longest period of a pattern, epochs: that of a sentence once a second among 25 epochs is learned in two seconds.
  private static let longestPeriod = 30
  /// Number of surprises of a sentence that matter, and of epochs in which its pattern is looked for after one.
  private static let doubts = (surprises: UInt8(2), epochs: 12)
  /// Number of epochs of which the pattern is kept.
  private static let memory = UInt64.bitWidth

  private struct Entry {
    var mark: SentenceMark
    /// One bit for each of the last epochs that needed the sentence, the newest lowest.
    var presence: UInt64
    /// Position in the current epoch, from 1; 0 if not received.
    var place: Int
    var isNeeded: Bool
    /// Whether it came behind the last one when it came.
    var follows = false
    /// How often it came when the epoch was complete already.
    var surprises: UInt8 = 0
  }

  private var entries: [Entry] = []
  private var places = 0
  private var epochs = 0
  private var last: Int?
  /// The regular one before the last, in the newest epoch that had both.
  private var secondToLast: Int?
  /// The one that completes the current epoch.
  private var awaited: Int?
  /// Number of further epochs that no sentence completes.
  private var doubt = 0

  /// Records a sentence of the current epoch. Returns whether it completes the epoch.
  mutating func arrived(_ mark: SentenceMark, isNeeded: Bool) -> Bool {
    places += 1
    for index in entries.indices where entries[index].mark == mark && entries[index].place == 0 {
      entries[index].place = places
      entries[index].isNeeded = isNeeded
      return index == awaited
    }
    let entry = Entry(mark: mark, presence: 0, place: places, isNeeded: isNeeded)
    if entries.count < Self.capacity {
      entries.append(entry)
    } else if let index = entries.indices.first(where: { entries[$0].presence == 0 && entries[$0].place == 0 }) {
      entries[index] = entry
    }
    return false
  }

  var awaitsSentence: Bool { awaited.map { entries[$0].place == 0 && entries[$0].mark.isSentence } ?? false }

  mutating func finish() {
    epochs = min(epochs + 1, Self.memory)
    places = 0
    // Most receivers send the same in every epoch: then there is nothing to foresee.
    var (hasRare, rareArrived) = (false, false)
    var (newest, end): (Int?, Int) = (nil, 0)
    let every = UInt64.max >> UInt64(Self.memory - min(epochs, Self.memory / 2))
    for index in entries.indices {
      let counts = entries[index].place > 0 && entries[index].isNeeded
      let presence = entries[index].presence << 1 | (counts ? 1 : 0)
      entries[index].presence = presence
      if presence & every != every, presence != 0 {
        hasRare = true
        rareArrived = rareArrived || counts
      }
      if entries[index].place > end, isRegular(entries[index]) { (newest, end) = (index, entries[index].place) }
    }
    let before = last
    doubt = max(0, doubt - 1)
    if rareArrived { noteSurprises() }
    learn(newest)
    if rareArrived || last != before || secondToLast == nil { learnPlaces() }
    for index in entries.indices { entries[index].place = 0 }
    if hasRare { awaitNext() } else { awaited = last }
  }

  /// Learns that a sentence followed all others of the last learned epoch.
  mutating func followed(_ mark: SentenceMark) {
    if entries.count < Self.capacity, !entries.contains(where: { $0.mark == mark }) {
      entries.append(Entry(mark: mark, presence: 0, place: 0, isNeeded: false))
    }
    guard let index = entries.firstIndex(where: { $0.mark == mark }) else { return }
    entries[index].presence |= 1
    entries[index].follows = true
    if epochs >= 2, isRegular(entries[index]) { last = index }
    awaitNext()
  }

  private mutating func learn(_ newest: Int?) {
    guard epochs >= 2 else { return }
    if let last, isRegular(entries[last]) {
      guard let newest, entries[last].place > 0, entries[newest].place > entries[last].place else { return }
    }
    last = newest
  }

  private mutating func noteSurprises() {
    guard let awaited, entries[awaited].place > 0 else { return }
    for index in entries.indices where entries[index].place > entries[awaited].place && entries[index].isNeeded {
      guard entries[index].surprises < Self.doubts.surprises else { continue }
      entries[index].surprises += 1
      doubt = Self.doubts.epochs
    }
  }

  private mutating func learnPlaces() {
    guard let last, entries[last].place > 0 else { return }
    let end = entries[last].place
    secondToLast = nil
    var best = 0
    for index in entries.indices where entries[index].place > 0 {
      let place = entries[index].place
      entries[index].follows = place > end
      if place < end, place > best, isRegular(entries[index]) { (secondToLast, best) = (index, place) }
    }
  }

  private mutating func awaitNext() {
    if doubt > 0, entries.contains(where: { $0.surprises > 0 && !isRegular($0) && isDue($0) == nil }) {
      awaited = nil
      return
    }
    awaited = last
    if let last, isDue(entries[last]) == false { awaited = secondToLast ?? last }
    for index in entries.indices.reversed() where entries[index].follows && index != last {
      guard isDue(entries[index]) == true else { continue }
      awaited = index
      return
    }
  }

  /// Whether the next epoch has the sentence, by the pattern of the last; `nil` without a pattern, or if all have it.
  private func isDue(_ entry: Entry) -> Bool? {
    let presence = entry.presence
    // Most are in every epoch.
    guard presence != 0, (~presence).trailingZeroBitCount < min(epochs, Self.memory / 2) else { return nil }
    for period in 2...Self.longestPeriod {
      let compared = max(period, 4)
      guard epochs >= period + compared else { return nil }
      let one = presence & (1 << UInt64(period) - 1)
      guard one != 0, (presence ^ presence >> UInt64(period)) & (1 << UInt64(compared) - 1) == 0 else { continue }
      return one >> UInt64(period - 1) & 1 == 1
    }
    return nil
  }

  private func isRegular(_ entry: Entry) -> Bool {
    let epochs = min(epochs, Self.window)
    let every: UInt64 = 1 << UInt64(epochs) - 1
    let presence = entry.presence & every
    return presence == every || presence.nonzeroBitCount >= epochs - epochs / 4
  }
}
