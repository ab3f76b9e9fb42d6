import RideTools
import Testing

@testable import LocationCore
@testable import Recordings

struct RiddenWayTests {
  private static let ride: SimulatedRide = {
    do {
      var options = try SimulationOptions(named: "tour")
      try options.set(.length, to: "3000")
      return try options.ride()
    } catch {
      preconditionFailure("\(error)")
    }
  }()

  /// The state of a rider there, turned by degrees and moved aside by metres.
  private static func start(at station: Double, turned: Double = 0, aside: Double = 0) -> Fix? {
    guard let point = point(at: station), let position = point.position.moved(by: aside, bearing: point.course + 90)
    else { return nil }
    var fix = Fix(position: position, mode: .threeD, received: .zero)
    (fix.course, fix.horizontalAccuracy) = (point.course + turned, 5)
    return fix
  }

  private static func point(at station: Double) -> (position: Coordinate, course: Double)? {
    ride.route.points.first { $0.station >= station }.flatMap { point in
      Coordinate(latitude: point.latitude, longitude: point.longitude).map { ($0, point.course) }
    }
  }

  /// What is found of a recorded ride.
  private static func way(from start: Fix?, isWanted: Bool = true) throws -> RiddenWay? {
    let folder = TemporaryDirectory()
    folder.write(ride.recording.bytes, to: "20260318T100000Z.nmea")
    folder.write(Array("nothing".utf8), to: "20260319T100000Z.nmea")
    return try RideDirectory(existing: folder.path).way(from: #require(start)) { isWanted }
  }

  @Test(arguments: [0.0, 180])
  func `A recorded ride is a way in both directions`(turned: Double) throws {
    let way = try #require(try Self.way(from: Self.start(at: 1500, turned: turned)))
    for metres in [0.0, 200, 800] {
      let place = try #require(way.place(after: metres))
      let truth = try #require(Self.point(at: turned == 0 ? 1500 + metres : 1500 - metres))
      #expect(place.position.distance(to: truth.position) < 25, "\(metres) m")
      #expect(abs((place.course - truth.course - turned).remainder(dividingBy: 360)) < 60)
    }
    #expect(way.place(after: 2000) == nil)
  }

  @Test func `A ride in another direction, another place, or its end is none`() throws {
    for start in [
      Self.start(at: 1500, turned: 60), Self.start(at: 1500, aside: 1500), Self.start(at: 2950),
    ] { #expect(try Self.way(from: start) == nil) }
  }

  @Test func `The search ends when no way is wanted any more`() throws {
    #expect(try Self.way(from: Self.start(at: 1500), isWanted: false) == nil)
  }

  @Test func `A hairpin without fixes is somewhere within the way that the wheel leaves it`() throws {
    let begin = try #require(Coordinate(latitude: 47.5, longitude: 8.5))
    let behind = try #require(begin.moved(by: 40, bearing: 0))
    func point(_ place: Coordinate, _ metres: Double, _ course: Double, gap: Double? = nil) throws -> RiddenWay.Point {
      (try #require(place.moved(by: metres, bearing: course)), course, gap)
    }
    let points =
      try stride(from: -300.0, through: 0, by: 10).map { try point(begin, $0, 90) } + [point(behind, 0, 0, gap: 250)]
      + stride(from: 10.0, through: 300, by: 10).map { try point(behind, $0, 0) }
    var fix = Fix(position: begin, mode: .threeD, received: .zero)
    (fix.course, fix.horizontalAccuracy) = (90, 5)
    let way = try #require(RiddenWay(points, from: fix))
    for metres in [20.0, 60, 100] {
      let place = try #require(way.place(after: metres))
      let (truth, error) = (try #require(begin.moved(by: metres, bearing: 90)), try #require(place.beside))
      #expect(place.position.distance(to: truth) < error + 3, "\(metres) m")
    }
    #expect(way.place(after: 300)?.beside == 0)
  }
}
