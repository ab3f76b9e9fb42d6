/// A rider's trip: live figures, by the rules of a ride's, from its start or last reset to its end.
package struct Trip: Sendable {
  package private(set) var name: String
  /// The user that started it; `nil` for a TCP client or a recording.
  package private(set) var user: UInt32?
  var sums: RideAccumulator
  /// Number of the current lap, from 1.
  private(set) var lap = 1
  private var lapDistance = 0.0
  private var lapMovingTime = 0.0
  var reported: (state: TripState, second: Int)?

  init(name: String, user: UInt32?, splitStop: Double) {
    self.name = name
    self.user = user
    sums = RideAccumulator(splitStop: splitStop)
  }

  mutating func beginLap() {
    let figures = sums.figures
    lap += 1
    (lapDistance, lapMovingTime) = (figures.distance, figures.movingTime)
  }

  mutating func reset() { self = Trip(name: name, user: user, splitStop: sums.splitStop) }

  func status(_ state: TripState) -> TripStatus {
    let figures = sums.figures
    // A stop that is confirmed later begins earlier, perhaps in the lap before.
    return TripStatus(
      name: name, state: state, figures: figures, lap: lap, lapDistance: max(0, figures.distance - lapDistance),
      lapMovingTime: max(0, figures.movingTime - lapMovingTime))
  }

  mutating func code(_ words: inout StateWords) {
    words.code(&name)
    words.code(&user)
    words.code(&lap)
    words.code(&lapDistance)
    words.code(&lapMovingTime)
    sums.code(&words)
  }
}

/// What a trip is doing; the raw values are the protocol's `state`.
package enum TripState: String, Hashable, Sendable {
  case moving
  case paused
  /// There is no fix.
  case lost
  case ended
}

/// A trip at one instant: one line of the snapshot, and the event of each change.
package struct TripStatus: Hashable, Sendable {
  package var name: String
  package var state: TripState
  package var figures: RideFigures
  package var lap: Int
  package var lapDistance: Double
  package var lapMovingTime: Double
}

package struct TripRequest: Hashable, Sendable {
  /// Name, 1 to 64 bytes.
  package var name: String
  package var change: TripChange

  package init(name: String, change: TripChange = .start) {
    self.name = name
    self.change = change
  }
}

package enum TripChange: Hashable, Sendable {
  /// Starts it, unless it has been started.
  case start
  case lap
  case reset
  case end
}
