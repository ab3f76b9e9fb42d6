/// Where the rider was in the last minute, one place a second.
struct RecentPath: Sendable {
  struct Place {
    var position: Coordinate
    var instant: MonotonicInstant
  }

  /// How far back it reaches.
  static let length = Duration.seconds(60)
  static let spacing = Duration.seconds(1)

  private var places: ContiguousArray<Place> = []
  private var head = 0

  /// Adds a place, unless the last one is younger than a second.
  mutating func append(_ position: Coordinate, at instant: MonotonicInstant) {
    while head < places.count, instant - places[head].instant > Self.length { head += 1 }
    if head == places.count {
      places.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 64 {
      places.removeFirst(head)
      head = 0
    }
    if let last = places.last, instant - last.instant < Self.spacing { return }
    places.append(Place(position: position, instant: instant))
  }

  /// Starts anew: what comes is not the same path.
  mutating func reset() {
    places.removeAll(keepingCapacity: true)
    head = 0
  }

  /// The place a minute ago, or as far back as the path reaches.
  var oldest: Place? { head < places.count ? places[head] : nil }
}
