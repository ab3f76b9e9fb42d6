extension Route {
  /// Puts houses, a tunnel or free sky around a stretch, metres from the start.
  package mutating func surround(_ stretch: ClosedRange<Double>, with surroundings: Surroundings) {
    for index in points.indices where stretch.contains(points[index].station) {
      points[index].surroundings = surroundings
    }
  }

  /// Lets the rider stand at the start and at the end for at least so many seconds.
  package mutating func stand(atStart: Double, atEnd: Double) {
    points[0].stop = max(points[0].stop, atStart)
    points[points.count - 1].stop = max(points[points.count - 1].stop, atEnd)
  }

  /// Puts up traffic lights, one in about every `distance` metres; three in five of them are red, for 6 to 40 s. None is
  /// put up right beside a stop.
  package mutating func putLights(every distance: Double, seed: UInt64) {
    var random = SeededRandom(seed: seed, stream: 5)
    var next = distance * random.uniform(0.5...1.5)
    for index in points.indices.dropLast() where points[index].station >= next && next < length - 20 {
      let (chance, seconds) = (random.uniform(), random.uniform(6...40).rounded())
      let isBesideStop = points[max(index - 1, 0)].stop > 0 || points[index + 1].stop > 0
      if chance < 0.6, !isBesideStop, points[index].surroundings != .tunnel {
        points[index].stop = max(points[index].stop, seconds)
      }
      next = points[index].station + distance * random.uniform(0.5...1.5)
    }
  }
}
