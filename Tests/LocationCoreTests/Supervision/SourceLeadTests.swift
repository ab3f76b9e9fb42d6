import Testing

@testable import LocationCore

@Suite("Source supervision: which one leads")
struct SourceLeadTests {
  /// Runs 1 Hz epochs of several sources through a supervisor and keeps the changes of the lead.
  struct Race {
    var supervisor: SourceSupervisor
    var changes: [(second: Int, action: SupervisorAction)] = []
    /// Which source was published, second by second.
    var published: [Int?] = []

    init(_ count: Int) {
      supervisor = SourceSupervisorTests.open(count)
    }

    /// `valid(second)` tells for each source: a fix, no fix (`false`), or silence (`nil`).
    mutating func run(_ seconds: Range<Int>, _ valid: (Int) -> [Bool?]) {
      for second in seconds {
        var note: [Int] = []
        for (index, state) in valid(second).enumerated() {
          let now = at(Double(second) + 0.1 * Double(index))
          var actions: [SupervisorAction]
          if let state {
            actions = supervisor.epoch(index, fix: state ? .threeD : nil, at: now)
            if state, supervisor.lead == index { note.append(index) }
          } else {
            actions = supervisor.expire(at: now)
          }
          for case .lead(let from, let to, let reason) in actions {
            changes.append((second, .lead(from: from, to: to, reason)))
          }
        }
        #expect(note.count <= 1, "two sources in one second")
        published.append(note.first)
      }
    }
  }

  @Test("the lead passes after 3 s of silence, and returns after 10 s without a break")
  func silence() {
    var race = Race(2)
    race.run(1..<60) { [(10..<20).contains($0) ? nil : true, true] }
    #expect(race.changes.map(\.action) == [.lead(from: 0, to: 1, .silent), .lead(from: 1, to: 0, .preferred)])
    #expect(race.changes.map(\.second) == [12, 30])
    #expect(race.published[0..<9].allSatisfy { $0 == 0 })
    #expect(race.published[12..<28].allSatisfy { $0 == 1 })
    #expect(race.published[30...].allSatisfy { $0 == 0 })
  }

  @Test("no fix passes the lead as silence does, with its own reason")
  func noFix() {
    var race = Race(2)
    race.run(1..<20) { [$0 >= 10 ? false : true, true] }
    #expect(race.changes.map(\.action) == [.lead(from: 0, to: 1, .noFix)])
    #expect(race.changes.map(\.second) == [12])
  }

  @Test("bytes without an epoch are no silence")
  func bytes() {
    var supervisor = SourceSupervisorTests.open(2)
    _ = supervisor.epoch(0, fix: .threeD, at: at(1))
    for second in 2...4 {
      supervisor.bytes(0, at: at(Double(second) - 0.5))
      let actions = supervisor.epoch(1, fix: .threeD, at: at(Double(second)))
      if second == 4 { #expect(actions.contains(.lead(from: 0, to: 1, .noFix))) }
    }
    #expect(supervisor.lead == 1)
  }

  @Test("a break starts the 10 s anew")
  func broken() {
    var race = Race(2)
    // One epoch without a fix every 8 s.
    race.run(1..<100) { [$0 < 20 ? nil : $0 % 8 != 0, true] }
    #expect(race.changes.map(\.action) == [.lead(from: 0, to: 1, .silent)])
    race.run(100..<120) { _ in [true, true] }
    #expect(race.changes.last?.action == .lead(from: 1, to: 0, .preferred))
    #expect(race.changes.last?.second == 107, "valid since 97")
  }

  @Test("the preferred one takes over at once when the leading one fails meanwhile")
  func bothFail() {
    var race = Race(2)
    race.run(1..<40) { [$0 < 20 ? nil : true, $0 < 22 ? true : nil] }
    #expect(
      race.changes.map(\.action) == [.lead(from: 0, to: 1, .silent), .lead(from: 1, to: 0, .silent)])
    #expect(race.changes.last?.second == 24)
  }

  @Test("at the start the preferred one has 3 s; the other does not rush in")
  func start() {
    var race = Race(2)
    race.run(1..<10) { [$0 >= 2 ? true : nil, true] }
    #expect(race.changes.isEmpty)
    #expect(race.published == [nil, 0, 0, 0, 0, 0, 0, 0, 0])
  }

  @Test("with none available the lead stays where it is")
  func none() {
    var race = Race(3)
    race.run(1..<30) { [$0 < 5 ? true : nil, false, nil] }
    #expect(race.changes.isEmpty)
    #expect(race.supervisor.lead == 0)
  }

  @Test("of three, the next one that has fixes; then back, one by one")
  func three() {
    var race = Race(3)
    race.run(1..<80) { second in
      [second >= 40 ? true : nil, second < 20 ? false : true, true]
    }
    #expect(
      race.changes.map(\.action) == [
        .lead(from: 0, to: 2, .silent), .lead(from: 2, to: 1, .preferred), .lead(from: 1, to: 0, .preferred),
      ])
    #expect(race.changes.map(\.second) == [3, 30, 50])
  }

  @Test("a failed leading source gives its reason")
  func failed() {
    var supervisor = SourceSupervisorTests.open(2)
    _ = supervisor.epoch(0, fix: .threeD, at: at(1))
    _ = supervisor.epoch(1, fix: .threeD, at: at(1))
    let error = SourceError.busy(device: "/dev/gps0", holder: nil)
    #expect(supervisor.failed(0, error, at: at(1.5)) == [.state(source: 0, .failed(error, previous: .tracking))])
    _ = supervisor.epoch(1, fix: .threeD, at: at(3))
    #expect(supervisor.deadline == at(4))
    #expect(supervisor.expire(at: at(4)) == [.lead(from: 0, to: 1, .failed)])
  }

  @Test("two sources are never interleaved, whatever they do", arguments: 1...8)
  func neverInterleaved(_ seed: Int) {
    var random = SeededNoise(seed: UInt64(seed))
    var race = Race(3)
    var states: [Bool?] = [true, true, true]
    race.run(1..<3_000) { _ in
      for index in states.indices where random.uniform(0...1) < 0.05 {
        states[index] = [true, false, nil][Int.random(in: 0...2, using: &random)]
      }
      return states
    }
    #expect(race.changes.count > 5)
    #expect(race.supervisor.illegalEvents == 0)
    // The lead goes back to a preferred one only after 10 s, or because the leading one had no fix for 3 s.
    var last = 0
    for (second, action) in race.changes {
      guard case .lead(let from, let to, let reason) = action else { continue }
      #expect(from != to)
      if reason == .preferred { #expect(to < from) } else { #expect(second - last >= 2) }
      last = second
    }
  }
}
