extension Motion {
  /// What is true of the whole ride: what a reckoning from its fixes should come to.
  package var truth: RideTruth {
    var truth = RideTruth(duration: duration, distance: points[points.count - 1].station)
    for index in points.indices {
      if index > 0 {
        let climb = points[index].altitude - points[index - 1].altitude
        if climb > 0 { truth.ascent += climb } else { truth.descent -= climb }
        truth.topSpeed = max(truth.topSpeed, speeds[index])
      }
      guard points[index].stop > 0 else { continue }
      truth.stops.append(
        RideTruth.Stop(
          begin: departures[index] - points[index].stop, end: departures[index], station: points[index].station))
    }
    truth.movingTime = movingTime(above: 0)
    return truth
  }

  /// The seconds in which the rider goes faster than a speed, m/s. Above 0: all but the stops.
  package func movingTime(above threshold: Double) -> Double {
    var sum = 0.0
    for index in points.indices.dropFirst() {
      let travel = departures[index] - points[index].stop - departures[index - 1]
      let (slow, fast) = (
        min(speeds[index - 1], speeds[index]), max(speeds[index - 1], speeds[index])
      )
      if slow >= threshold {
        sum += travel
      } else if fast > threshold {
        sum += travel * (fast - threshold) / (fast - slow)
      }
    }
    return sum
  }
}
