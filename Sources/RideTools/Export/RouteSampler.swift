import LocationCore

/// Chooses 2 to 20 of a ride's fixes, spread evenly over its distance, the first and the last always among them.
///
/// One pass in bounded memory: fixes are noted every so many metres, and at twice that whenever 2048 are noted. So a
/// point lies within a two-thousandth of the whole distance of where it should, or half the way to the next fix if
/// that is more. Every point is one that was measured, none comes twice: a ride that has fewer gives fewer.
package struct RouteSampler: Sendable {
  /// How many points a route may have.
  package static let counts = 2...20

  private struct Note {
    var fix: Fix
    var distance: Double
  }

  private static let room = 2048
  /// A step shorter than this is a rider who stands still and a receiver that wavers, metres.
  private static let step = 5.0

  private let count: Int
  private var spacing = 0.0
  private var notes: [Note] = []
  private var last: Fix?
  /// Where the distance was last counted.
  private var mark: Coordinate?
  private var distance = 0.0

  /// `nil` unless the number of points is one that a route may have.
  package init?(count: Int) {
    guard Self.counts.contains(count) else { return nil }
    self.count = count
  }

  /// Takes the next fix; the way over a loss counts as the straight line.
  package mutating func take(_ fix: Fix) {
    last = fix
    guard let mark else {
      self.mark = fix.position
      notes.append(Note(fix: fix, distance: 0))
      return
    }
    let way = fix.position.distance(to: mark)
    guard way >= Self.step else { return }
    self.mark = fix.position
    distance += way
    guard distance - (notes.last?.distance ?? 0) >= spacing else { return }
    notes.append(Note(fix: fix, distance: distance))
    if notes.count == Self.room { thin() }
  }

  /// The chosen fixes.
  package var route: [Fix] {
    guard let first = notes.first, let last else { return [] }
    var inner = notes.dropFirst()
    if inner.last?.fix == last { inner.removeLast() }
    let needed = min(count - 2, inner.count)
    var route = [first.fix]
    var next = inner.startIndex
    for number in 0..<needed {
      let goal = distance * Double(number + 1) / Double(count - 1)
      // Enough are left for the points that follow.
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
    notes.removeAll {
      if $0.distance - kept < spacing, $0.distance > 0 { return true }
      kept = $0.distance
      return false
    }
  }
}
