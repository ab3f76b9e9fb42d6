import LocationCore

/// What an export has to know about the whole ride: found in a pass of its own where it stands before the track.
package struct TrackSurvey: Sendable {
  /// What the ride reaches.
  package private(set) var bounds = TrackBounds()
  /// How many fixes it has.
  package private(set) var count = 0
  private var sampler: RouteSampler?

  /// Of nothing yet; with a route of that sampler.
  package init(sampler: RouteSampler? = nil) {
    self.sampler = sampler
  }

  /// Takes the next fix.
  package mutating func take(_ fix: Fix) {
    bounds.take(fix.position)
    sampler?.take(fix)
    count += 1
  }

  /// Takes what happened next.
  package mutating func take(_ moment: RideMoment) {
    if case .fix(let ridden) = moment { take(ridden.fix) }
  }

  /// The route's points, none without a sampler.
  package var route: [Fix] { sampler?.route ?? [] }
}
