import LocationCore

/// A departure of a rider from a planned line, at metres along it. Metres aside are to the right, negative to the left.
package enum Departure: Hashable, Sendable {
  case stop(at: Double, seconds: Double)
  /// Back along the line so far, and forward again.
  case uTurn(at: Double, metres: Double)
  /// Along a side road so far, and back.
  case wrongTurn(at: Double, metres: Double)
  /// Straight from one place to the other.
  case shortcut(ClosedRange<Double>)
  /// Beside that straight line.
  case detour(ClosedRange<Double>, aside: Double)

  var stretch: ClosedRange<Double> {
    switch self {
    case .stop(let at, _), .uTurn(let at, _), .wrongTurn(let at, _): at...at
    case .shortcut(let stretch), .detour(let stretch, _): stretch
    }
  }
}

extension Route {
  /// The route along the points of a track or a planned route: straight lines with rounded corners, and departures from
  /// them in order.
  /// A rounded corner is at most ``RouteLine/cornerMiss`` metres from its point, and takes at most half of each leg;
  /// the speed limit there keeps to the sideways acceleration (m/s²). `nil` for fewer than two different points, or a
  /// point within 1° of a pole.
  package init?(
    along vertices: [RouteVertex], _ departures: [Departure] = [], speedLimit: Double,
    lateralAcceleration: Double = RouteBuilder.lateralAcceleration
  ) throws(SimulationError) {
    guard let plan = RoutePlan(along: vertices) else { return nil }
    let corners = try plan.ridden(departures)
    guard corners.count >= 2 else { return nil }
    var line = RouteLine(along: corners, speedLimit: speedLimit, lateralAcceleration: lateralAcceleration)
    line.draw()
    self.init(points: line.points)
    for case .stop(let at, let seconds) in departures {
      let index = points.firstIndex { $0.planned.map { $0.along >= at && !$0.isReverse } ?? false }
      points[index ?? points.count - 1].stop = seconds
    }
  }
}

/// The line of a file, measured as the course that ``CourseFile`` makes of it.
private struct RoutePlan {
  private var corners: [RouteLine.Corner] = []
  /// Index in the file of each corner.
  private var indices: [Int] = []
  /// Metres along the line of each corner.
  private var alongs = [0.0]
  private var ridden: [RouteLine.Corner] = []

  init?(along vertices: [RouteVertex]) {
    var stations = [0.0]
    for (index, vertex) in vertices.enumerated() {
      guard abs(vertex.position.latitude) <= 89 else { return nil }
      let altitude = vertex.altitude ?? corners.last?.altitude ?? 0
      if let last = corners.last {
        if last.position.chord(to: vertex.position) < RouteLine.shortestLeg { continue }
        stations.append(stations[stations.count - 1] + RouteLine.Leg(from: last.position, to: vertex.position).length)
      }
      corners.append(RouteLine.Corner(position: vertex.position, altitude: altitude))
      indices.append(index)
    }
    guard corners.count >= 2 else { return nil }
    // A point that the course leaves out is at its share of the way between its neighbours.
    let needed = CourseFile.needed(corners.map { CoursePoint($0.position, elevation: $0.altitude) })
    for (first, last) in zip(needed, needed.dropFirst()) {
      let length = RouteLine.Leg(from: corners[first].position, to: corners[last].position).length
      let share = length / (stations[last] - stations[first])
      for index in first + 1...last { alongs.append(alongs[first] + (stations[index] - stations[first]) * share) }
    }
  }

  private var length: Double { alongs[alongs.count - 1] }

  func ridden(_ departures: [Departure]) throws(SimulationError) -> [RouteLine.Corner] {
    var ride = self
    var here = 0.0
    ride.ridden = [corners[0]]
    for departure in departures {
      let stretch = departure.stretch
      guard stretch.lowerBound >= here, stretch.upperBound <= length else {
        throw SimulationError(
          "has no room for the departure at \(Int(min(stretch.lowerBound, 1e9))) m: departures follow each other on its \(Int(length)) m"
        )
      }
      ride.follow(from: here, to: stretch.lowerBound)
      here = stretch.upperBound
      let (begin, end) = (place(at: stretch.lowerBound), place(at: here))
      switch departure {
      case .stop: break
      case .uTurn(let at, let metres):
        ride.follow(from: at, to: max(at - metres, 0))
        ride.follow(from: max(at - metres, 0), to: at)
      case .wrongTurn(let at, let metres):
        let segment = segment(at: at)
        let course = RouteLine.Leg(from: corners[segment].position, to: corners[segment + 1].position).course
        ride.go(to: begin.moved(metres, aside: course))
        ride.go(to: end)
      case .shortcut: ride.go(to: end)
      case .detour(_, let metres):
        let course = RouteLine.Leg(from: begin.position, to: end.position).course
        ride.go(to: begin.moved(metres, aside: course))
        ride.go(to: end.moved(metres, aside: course))
        ride.go(to: end)
      }
    }
    ride.follow(from: here, to: length)
    return ride.ridden
  }

  /// Rides along the line, backwards if that is less.
  private mutating func follow(from begin: Double, to end: Double) {
    let (low, high) = (min(begin, end), max(begin, end))
    let between = alongs.indices.filter { low < alongs[$0] && alongs[$0] < high }
    var here = begin
    for index in begin < end ? between : between.reversed() {
      go(to: corners[index], from: here, to: alongs[index])
      here = alongs[index]
    }
    go(to: place(at: end), from: here, to: end)
  }

  private mutating func go(to corner: RouteLine.Corner, from begin: Double, to end: Double) {
    var corner = corner
    corner.stretch = RouteLine.Stretch(leg: indices[segment(at: (begin + end) / 2)], begin: begin, end: end)
    go(to: corner)
  }

  private mutating func go(to corner: RouteLine.Corner) {
    guard let last = ridden.last, last.position.chord(to: corner.position) >= RouteLine.shortestLeg else { return }
    ridden.append(corner)
  }

  private func segment(at along: Double) -> Int {
    var (low, high) = (0, alongs.count - 1)
    while high - low > 1 {
      let middle = (low + high) / 2
      if alongs[middle] <= along { low = middle } else { high = middle }
    }
    return low
  }

  private func place(at along: Double) -> RouteLine.Corner {
    let segment = segment(at: along)
    let (start, end) = (corners[segment], corners[segment + 1])
    let fraction = min(max((along - alongs[segment]) / max(alongs[segment + 1] - alongs[segment], 1e-6), 0), 1)
    let way = ExactMath.halfTurn(end.position.longitude - start.position.longitude)
    let position = Coordinate(
      latitude: start.position.latitude + (end.position.latitude - start.position.latitude) * fraction,
      longitude: ExactMath.halfTurn(start.position.longitude + way * fraction))
    return RouteLine.Corner(
      position: position ?? start.position, altitude: start.altitude + (end.altitude - start.altitude) * fraction)
  }
}

extension RouteLine.Corner {
  /// The place so many metres to the right of a course.
  fileprivate func moved(_ metres: Double, aside course: Double) -> Self {
    let (sine, cosine) = ExactMath.sineCosine(degrees: course + 90)
    let scale = LocalScale(latitude: position.latitude)
    let place = Coordinate(
      latitude: position.latitude + metres * cosine / scale.metresPerDegreeNorth,
      longitude: ExactMath.halfTurn(position.longitude + metres * sine / scale.metresPerDegreeEast))
    return RouteLine.Corner(position: place ?? position, altitude: altitude)
  }
}
