import LocationCore

/// A selection of 2 to 20 of a ride's fixes, evenly spaced over its distance, including the first and the last.
/// One pass in bounded memory: candidates are kept at a spacing that doubles whenever there are 2048. A point is off
/// its ideal distance by at most 1/2000 of the ride's length, or half the distance to the next fix if that is more. No
/// fix is chosen twice; a ride of fewer fixes gives fewer points.
package struct RouteSampler: Sendable {
  package static let counts = 2...20

  private static let room = 2048
  /// Shorter steps are noise at a stop, metres.
  private static let shortestStep = 5.0

  private let count: Int
  private var spacing = 0.0
  private var candidates: [(fix: Fix, distance: Double)] = []
  private var last: Fix?
  /// Position up to which the distance is counted.
  private var counted: Coordinate?
  private var distance = 0.0

  /// A sampler of so many points; `nil` unless ``counts`` contains the number.
  package init?(count: Int) {
    guard Self.counts.contains(count) else { return nil }
    self.count = count
  }

  /// Adds a fix; a gap counts as a straight line.
  package mutating func add(_ fix: Fix) {
    last = fix
    guard let counted else {
      self.counted = fix.position
      candidates.append((fix, 0))
      return
    }
    let step = fix.position.distance(to: counted)
    guard step >= Self.shortestStep else { return }
    self.counted = fix.position
    distance += step
    guard distance - (candidates.last?.distance ?? 0) >= spacing else { return }
    candidates.append((fix, distance))
    if candidates.count == Self.room { thin() }
  }

  package var route: [Fix] {
    guard let first = candidates.first, let last else { return [] }
    var inner = candidates.dropFirst()
    if inner.last?.fix == last { inner.removeLast() }
    let needed = min(count - 2, inner.count)
    var route = [first.fix]
    var next = inner.startIndex
    for number in 0..<needed {
      let goal = distance * Double(number + 1) / Double(count - 1)
      // Leave enough candidates for the following points.
      let limit = inner.endIndex - (needed - number)
      while next < limit, abs(inner[next + 1].distance - goal) <= abs(inner[next].distance - goal) { next += 1 }
      route.append(inner[next].fix)
      next += 1
    }
    if route.count > 1 || last != first.fix { route.append(last) }
    return route
  }

  private mutating func thin() {
    spacing = max(spacing * 2, distance / Double(Self.room / 2))
    var kept = -Double.infinity
    candidates.removeAll {
      if $0.distance - kept < spacing, $0.distance > 0 { return true }
      kept = $0.distance
      return false
    }
  }
}
