@testable import LocationCore

/// Factory of published fixes, numbered from 1 and received when created.
struct RideFixture {
  private(set) var seq: UInt64 = 0
  var source: SourceID = 0
  /// Detector of changes, if any.
  var detector: ChangeDetector?

  mutating func fix(
    _ position: Coordinate, at instant: MonotonicInstant, speed: Double? = 5, accuracy: Double? = nil,
    mode: FixMode = .threeD, changes: FixChanges = []
  ) -> PublishedFix {
    seq += 1
    var fix = Fix(position: position, mode: mode, received: instant)
    fix.speed = speed
    fix.horizontalAccuracy = accuracy
    let found = detector?.changes(with: fix, at: instant) ?? []
    return PublishedFix(fix: fix, seq: seq, source: source, changes: changes.union(found))
  }
}

/// A correlated position error like that of a receiver (first-order Gauss–Markov process).
struct WanderingError {
  let sigma: Double
  private let keep: Double
  private let fresh: Double
  private var north: Double
  private var east: Double
  private var random: SeededNoise

  /// - Parameters:
  ///   - sigma: Standard deviation of each axis, metres.
  ///   - correlation: Time constant, seconds; 0 = uncorrelated.
  init(sigma: Double, correlation: Double, period: Double = 1, seed: UInt64) {
    self.sigma = sigma
    // e^(−x) by its continued fraction is precise enough.
    let part = correlation > 0 ? period / correlation : .infinity
    keep = part.isInfinite ? 0 : (1 - part / 2 + part * part / 12) / (1 + part / 2 + part * part / 12)
    fresh = (1 - keep * keep).squareRoot()
    random = SeededNoise(seed: seed)
    north = random.normal()
    east = random.normal()
  }

  mutating func next(around position: Coordinate) -> Coordinate {
    north = keep * north + fresh * random.normal()
    east = keep * east + fresh * random.normal()
    return position.offset(north: sigma * north, east: sigma * east)
  }

  /// 95 % radius, metres.
  var radius: Double { 2.447_747 * sigma }
}
