/// What the daemon knows about one view.
struct FollowView: Sendable {
  /// After some events reports do not count until the view shows what they brought.
  struct Grace {
    /// The fix that ends it; `nil` while that fix is still to come.
    var seq: UInt64?
    /// When it ends anyway.
    var until: MonotonicInstant
  }

  /// Who speaks for the view.
  enum Renderer {
    /// Nobody yet or any more, since then.
    case vanished(since: MonotonicInstant)
    /// A session, with the order of its last report.
    case session(SessionID, lastOrder: UInt64?)
  }

  var state: FollowState
  var renderer: Renderer
  var grace: Grace?
  /// The first of the reports without `seq` that lay outside.
  var outsideSince: MonotonicInstant?
  /// When the rider last touched the view, as far as the reports tell.
  var lastUserReport: MonotonicInstant

  init(name: String, at instant: MonotonicInstant) {
    state = FollowState(view: name, following: true, reason: .initial)
    renderer = .vanished(since: instant)
    lastUserReport = instant
  }

  var owner: SessionID? {
    if case .session(let session, _) = renderer { session } else { nil }
  }

  mutating func beginGrace(seq: UInt64?, until: MonotonicInstant) {
    grace = Grace(seq: seq, until: until)
    outsideSince = nil
  }

  /// Whether a report counts; the first that does ends the grace.
  mutating func passesGrace(shown: UInt64?, at instant: MonotonicInstant) -> Bool {
    guard let grace else { return true }
    if instant < grace.until {
      guard let shown, let awaited = grace.seq, shown >= awaited else { return false }
    }
    self.grace = nil
    return true
  }
}

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
