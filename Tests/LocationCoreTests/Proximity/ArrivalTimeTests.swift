import Testing

@testable import LocationCore

@Suite("Time to a target")
struct ArrivalTimeTests {
  private static let home = here.offset(north: 2_000, east: 0)

  /// A ride from one place to the next at a speed, m/s; 0 stands there for 90 s.
  private struct Leg {
    var north: Double, east: Double
    var speed: Double
  }

  /// The arrival and the time to the target, second by second, of a ride that begins at the origin.
  private func arrivals(_ legs: [Leg], hasSpeed: Bool = true) throws -> [Arrival] {
    var (watch, ride) = (TargetWatch(), RideFixture())
    _ = try watch.set(
      Target(name: "home", coordinate: Self.home), from: ClientID(1), of: .connection(ClientID(1)))
    var list: [Arrival] = []
    var (north, east) = (0.0, 0.0)
    for leg in legs {
      let length = ((leg.north - north) * (leg.north - north) + (leg.east - east) * (leg.east - east)).squareRoot()
      let seconds = leg.speed > 0 ? Int(length / leg.speed) : 90
      for second in 1...seconds {
        let part = Double(second) / Double(seconds)
        let place = here.offset(north: north + part * (leg.north - north), east: east + part * (leg.east - east))
        let instant = at(Double(list.count))
        let fix = ride.fix(place, at: instant, speed: hasSpeed ? leg.speed : nil)
        _ = watch.published(fix, at: instant)
        list += watch.states
      }
      (north, east) = (leg.north, leg.east)
    }
    return list
  }

  private func expect(_ arrival: Arrival?, speed: Double, within part: Double = 0.05) throws {
    let arrival = try #require(arrival)
    let expected = try #require(arrival.distance) / speed
    let eta = try #require(arrival.eta).inSeconds
    #expect(abs(eta - expected) < part * expected, "\(eta) s, not \(expected) s")
  }

  @Test(arguments: [true, false])
  func `On a straight way it is the distance at the speed of the last minute, from the tenth second on`(
    hasSpeed: Bool
  ) throws {
    let list = try arrivals(
      [Leg(north: 300, east: 0, speed: 5), Leg(north: 900, east: 0, speed: 10)], hasSpeed: hasSpeed)
    #expect(list[0..<9].allSatisfy { $0.eta == nil } && list[12...].allSatisfy { $0.eta != nil })
    try expect(list[50], speed: 5)
    try expect(list.last, speed: 10)
    #expect(abs((list.last?.bearing ?? 90).truncatingRemainder(dividingBy: 359)) < 2)
  }

  @Test func `A corner does not change it`() throws {
    // At 30 km/h past the target, and then to it: at 590 m, the last minute brought it 80 m nearer.
    let list = try arrivals([
      Leg(north: 1_420, east: -600, speed: 8.33), Leg(north: 1_420, east: 150, speed: 8.33),
      Leg(north: 1_700, east: 150, speed: 8.33),
    ])
    for arrival in list.suffix(25) { try expect(arrival, speed: 8.33) }
  }

  @Test func `A switchback does not change it`() throws {
    // Legs of 20 s that lead away from the target, and of 40 s towards it.
    var legs = [Leg(north: 300, east: 0, speed: 4)]
    for _ in 0..<4 {
      let north = legs[legs.count - 1].north
      legs += [Leg(north: north + 160, east: 0, speed: 4), Leg(north: north + 80, east: 0, speed: 4)]
    }
    for arrival in try arrivals(legs).dropFirst(100) { try expect(arrival, speed: 4) }
  }

  @Test func `A stop at a light does not change it`() throws {
    let list = try arrivals([
      Leg(north: 800, east: 0, speed: 6), Leg(north: 800, east: 0, speed: 0), Leg(north: 1_200, east: 0, speed: 6),
    ])
    for arrival in list.dropFirst(20) { try expect(arrival, speed: 6) }
  }

  @Test func `There is none after two minutes of standing, or of riding away, nor before the first fix`() throws {
    let standing = Leg(north: 800, east: 0, speed: 0)
    let parked = try arrivals([Leg(north: 800, east: 0, speed: 6), standing, standing])
    #expect(parked[parked.count - 70].eta != nil && parked.suffix(50).allSatisfy { $0.eta == nil })
    let gone = try arrivals([Leg(north: 2_000, east: 0, speed: 6), Leg(north: 500, east: 0, speed: 6)])
    #expect(gone[320].eta != nil && gone.dropFirst(333 + 61).allSatisfy { $0.eta == nil })
    let away = try arrivals([Leg(north: -2_000, east: 0, speed: 6)])
    #expect(away.allSatisfy { $0.eta == nil })
    var watch = TargetWatch()
    let target = try Target(name: "home", coordinate: Self.home)
    _ = try watch.set(target, from: ClientID(1), of: .connection(ClientID(1)))
    #expect(watch.states == [Arrival(target: target, state: .away)])
  }

  @Test func `The path covers two minutes at any rate`() {
    var path = RecentPath()
    for step in 0..<100_000 {
      path.append(here, speed: 5, at: at(Double(step) * 0.1))
      if let oldest = path.places.first {
        let age = at(Double(step) * 0.1) - oldest.instant
        #expect(age <= .seconds(120) && (step < 1300 || age >= .seconds(116)))
      }
    }
    path.append(here, speed: 5, at: at(1e6))
    #expect(path.places.first?.instant == at(1e6))
    path.reset()
    #expect(path.places.first == nil)
  }
}
