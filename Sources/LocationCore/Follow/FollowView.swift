struct FollowView: Sendable {
  var state: FollowState
  let creator: ClientID
  /// The client that reports the view, if any.
  private(set) var renderer: (client: ClientID, peer: ClientPeer)?
  /// Its last report; without one, when that disconnected, or when the view was requested last.
  private(set) var since: MonotonicInstant
  /// Whether no client has reported the view.
  private(set) var isOnlyRequested = true
  /// Until when reports are ignored unless they show the fix that ends this; `nil` until that fix is published.
  var grace: (seq: UInt64?, until: MonotonicInstant)?
  /// Time of the first consecutive report without `seq` beyond the limit.
  var outsideSince: MonotonicInstant?

  init(name: String, creator: ClientID, at instant: MonotonicInstant) {
    state = FollowState(view: name, following: true, reason: .initial)
    self.creator = creator
    since = instant
  }

  var owner: ClientID? { renderer?.client }
  var unrenderedSince: MonotonicInstant? { renderer == nil ? since : nil }

  mutating func noteReport(of client: ClientID, _ peer: ClientPeer, at instant: MonotonicInstant) {
    (renderer, since, isOnlyRequested) = ((client, peer), instant, false)
  }

  /// Keeps a view without a renderer for another retention period.
  mutating func noteRequest(at instant: MonotonicInstant) {
    if renderer == nil { since = instant }
  }

  mutating func didDisconnect(at instant: MonotonicInstant) {
    (renderer, since, grace, outsideSince) = (nil, instant, nil, nil)
  }

  mutating func beginGrace(seq: UInt64?, until: MonotonicInstant) {
    grace = (seq, until)
    outsideSince = nil
  }

  /// Whether a report counts. The first one that does ends the grace period. `sent` is the newest fix that its client
  /// was sent, if known: behind a distance filter, it may be older than the one awaited.
  mutating func passesGrace(shown: UInt64?, sent: UInt64?, at instant: MonotonicInstant) -> Bool {
    guard let grace else { return true }
    if instant < grace.until {
      guard let shown, let awaited = grace.seq, shown >= min(awaited, sent ?? awaited) else { return false }
    }
    self.grace = nil
    return true
  }
}

/// Ring buffer of the latest published fixes by `seq`, 60 s at up to 30 Hz, allocated with the first fix.
struct FixHistory: Sendable {
  struct Entry {
    var seq: UInt64
    var position: Coordinate
    var published: MonotonicInstant
  }

  /// 60 s at 30 Hz, both ends included.
  static let capacity = 1_801

  private var entries: ContiguousArray<Entry> = []
  private(set) var newest: Entry?

  /// Appends the next fix. A `seq` that does not increase clears the history.
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

  /// The fix with this number, if it is still stored.
  subscript(seq: UInt64) -> Entry? {
    guard let newest, seq <= newest.seq else { return nil }
    let entry = entries[Self.slot(seq)]
    return entry.seq == seq ? entry : nil
  }

  /// Distance, metres, from a point to the path of the fixes since `start`, which begins with the last one before it.
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
