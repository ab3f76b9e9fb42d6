/// The latest published fixes, found by `seq`: 60 s of them at up to 30 Hz, as fast as receivers are.
///
/// Fixed in size; the storage is made with the first fix.
struct FixHistory: Sendable {
  struct Entry {
    var seq: UInt64
    var position: Coordinate
    var published: MonotonicInstant
  }

  /// 60 s at 30 Hz, and one for the fence.
  static let capacity = 1_801

  private var entries: ContiguousArray<Entry> = []
  private(set) var newest: Entry?

  /// Adds the next fix. A `seq` that does not rise starts the history anew.
  mutating func append(seq: UInt64, position: Coordinate, published: MonotonicInstant) {
    let entry = Entry(seq: seq, position: position, published: published)
    if let newest, seq <= newest.seq { entries.removeAll(keepingCapacity: true) }
    newest = entry
    if entries.isEmpty {
      entries = ContiguousArray(repeating: entry, count: Self.capacity)
    } else {
      entries[Self.slot(seq)] = entry
    }
  }

  /// The fix of that number, if it is still kept.
  subscript(seq: UInt64) -> Entry? {
    guard let newest, seq <= newest.seq else { return nil }
    let entry = entries[Self.slot(seq)]
    return entry.seq == seq ? entry : nil
  }

  /// The distance from a point to the path of the fixes published since an instant, metres.
  ///
  /// The path begins with the last fix before that instant, so that it covers the whole time.
  func distance(from point: Coordinate, toPathSince start: MonotonicInstant) -> Double? {
    guard var later = newest else { return nil }
    let here = EarthCentered(point)
    var laterPlace = EarthCentered(later.position)
    var nearest = (here - laterPlace).length
    while later.published > start, later.seq > 0, let earlier = self[later.seq - 1] {
      let place = EarthCentered(earlier.position)
      nearest = min(nearest, here.distance(toSegmentFrom: place, to: laterPlace))
      (later, laterPlace) = (earlier, place)
    }
    return nearest
  }

  private static func slot(_ seq: UInt64) -> Int { Int(seq % UInt64(capacity)) }
}
