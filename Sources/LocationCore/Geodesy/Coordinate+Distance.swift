extension Coordinate {
  /// How far two points may be apart for the chord to stand for the distance, metres.
  ///
  /// A chord of 10 km is 1 mm shorter than its geodesic.
  static let chordLimit = 10_000.0

  /// The straight line through the Earth to another point, metres.
  ///
  /// Within 4 nm of the geodesic up to 100 m, everywhere.
  package func chord(to other: Coordinate) -> Double {
    (EarthCentered(other) - EarthCentered(self)).length
  }

  /// The horizontal distance to another point, metres: the chord up to 10 km, the geodesic beyond.
  package func distance(to other: Coordinate) -> Double {
    let chord = chord(to: other)
    return chord <= Self.chordLimit ? chord : Geodesic.inverse(from: self, to: other).distance
  }

  /// The same distance, where the place of both points is known already.
  package func distance(to other: Coordinate, _ place: EarthCentered, _ otherPlace: EarthCentered) -> Double {
    let chord = (otherPlace - place).length
    return chord <= Self.chordLimit ? chord : Geodesic.inverse(from: self, to: other).distance
  }

  /// Whether another point is at most that many metres away.
  ///
  /// Mostly the way along the meridian and then along the parallel tells: it is never shorter than the distance, and
  /// nowhere is a degree of either longer than 111.7 km.
  package func isWithin(_ metres: Double, of other: Coordinate) -> Bool {
    let degrees = abs(latitude - other.latitude) + abs(longitude - other.longitude)
    return degrees * 111_700 <= metres || distance(to: other) <= metres
  }

  /// The direction of another point at the start of the shortest way, degrees from true north,
  /// 0 ≤ bearing < 360; `nil` when the points are the same.
  package func bearing(to other: Coordinate) -> Double? {
    let line = Geodesic.inverse(from: self, to: other)
    return line.distance > 0 ? line.initialBearing : nil
  }

  /// The distance to the straight line between two points, metres.
  ///
  /// The line is a chord: it dips s²/8R below the ellipsoid, 2 cm in 1 km. Meant for the way between two fixes.
  package func distance(toSegmentFrom start: Coordinate, to end: Coordinate) -> Double {
    EarthCentered(self).distance(toSegmentFrom: EarthCentered(start), to: EarthCentered(end))
  }
}
