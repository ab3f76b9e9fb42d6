import GPSDProtocol
import Testing

@testable import LocationClient

@Suite struct UpdateQueueTests {
  private let begin = ContinuousClock.now

  private func position(_ seq: Int, _ reason: Position.Reason = .moved) throws -> LocationClient.Update {
    let line = #"{"class":"TPV","mode":3,"lat":1,"lon":2,"seq":\#(seq),"reason":"\#(reason.rawValue)"}"#
    return try #require(LocationClient.Update(try Report(line: Array(line.utf8)[...]), at: begin))
  }

  private func event(_ number: Int) -> LocationClient.Update {
    .follow(FollowReport(view: "\(number)", isFollowing: true))
  }

  private func drain(_ queue: inout UpdateQueue) -> [LocationClient.Update] {
    var updates: [LocationClient.Update] = []
    while let update = queue.pop() { updates.append(update) }
    return updates
  }

  @Test func `Updates keep their order`() throws {
    var queue = UpdateQueue()
    let updates = [event(1), try position(1), event(2)]
    for update in updates { queue.push(update) }
    #expect(drain(&queue) == updates)
    #expect(queue.pop() == nil)
  }

  @Test func `New figures of a trip in motion replace the old ones, and no transition`() {
    var queue = UpdateQueue()
    let paused = LocationClient.Update.trip(TripReport(name: "day", state: .paused))
    queue.push(paused)
    for lap in 1...100 {
      for name in ["day", "week"] {
        var trip = TripReport(name: name, state: .moving)
        trip.lap = lap
        queue.push(.trip(trip))
      }
    }
    let updates = drain(&queue)
    #expect(updates.count == 3 && updates.first == paused)
    for case .trip(let trip) in updates.dropFirst() { #expect(trip.lap == 100) }
    #expect(queue.missed == 0)
  }

  @Test func `The newest reading replaces the old one of the same sensor`() {
    var queue = UpdateQueue()
    for rate in 60...160 {
      for source in ["strap", "watch"] {
        queue.push(.sensor(SensorReport(sensor: .heartRate, source: source, value: Double(rate), unit: "1/min")))
      }
    }
    queue.push(.sensor(SensorReport(sensor: .power, source: "watch", value: 200, unit: "W")))
    let values = drain(&queue).map { update -> Double? in
      if case .sensor(let sensor) = update { sensor.value } else { nil }
    }
    #expect(values == [160, 160, 200] && queue.missed == 0)
  }

  @Test func `The newest place on a course replaces the old one in the same state`() {
    var queue = UpdateQueue()
    func push(_ state: CourseReport.State, _ along: Double) {
      var course = CourseReport(name: "tour", state: state)
      course.along = along
      queue.push(.course(course))
    }
    for along in 1...100 { push(.on, Double(along)) }
    push(.off, 100)
    push(.on, 150)
    push(.on, 160)
    let updates = drain(&queue)
    #expect(updates.count == 2 && queue.missed == 0)
    guard case .course(let off)? = updates.first, case .course(let on)? = updates.last else { return }
    #expect(off.state == .off && on.state == .on && on.along == 160)
  }

  @Test func `A new position replaces the old one`() throws {
    var queue = UpdateQueue()
    for seq in 1...10_000 { queue.push(try position(seq)) }
    queue.push(event(1))
    queue.push(try position(10_001))
    #expect(drain(&queue) == [event(1), try position(10_001)])
    #expect(queue.missed == 0)
  }

  @Test func `A later position does not replace that of a transition`() throws {
    var queue = UpdateQueue()
    let transitions = try [
      Position.Reason.first, .stopped, .started, .mode, .source, .regained, .stopped, .init("of a later release"),
    ].enumerated().map { try position(2 * $0, $1) }
    for (index, update) in transitions.enumerated() {
      queue.push(update)
      queue.push(try position(2 * index + 1))
    }
    for reason in [Position.Reason.heartbeat, .requested, .snapshot] { queue.push(try position(20, reason)) }
    #expect(drain(&queue) == transitions + [try position(20, .snapshot)])
    #expect(queue.missed == 0)
  }

  @Test func `A transition that no consumer took in time is counted`() throws {
    var queue = UpdateQueue()
    for seq in 1...66 { queue.push(try position(seq, seq.isMultiple(of: 2) ? .started : .stopped)) }
    queue.push(try position(67))
    #expect(queue.missed == 2)
    #expect(drain(&queue).count == 65)
  }

  @Test func `The oldest event makes room`() throws {
    var queue = UpdateQueue()
    queue.push(try position(1))
    for number in 1...100 { queue.push(event(number)) }
    #expect(drain(&queue) == [try position(1)] + (37...100).map(event))
    #expect(queue.missed == 36)
    for number in 1...64 { queue.push(event(number)) }
    #expect(drain(&queue).count == 64)
    #expect(queue.missed == 36)
  }
}
