import Testing

@testable import LocationCore

@Suite("Source supervisor: lead")
struct SourceLeadTests {
  /// Feeds 1 Hz epochs of several sources to a supervisor and records the changes of the lead.
  struct Race {
    var supervisor: SourceSupervisor
    var changes: [(second: Int, action: SupervisorAction)] = []
    /// The published source of each second.
    var published: [Int?] = []

    init(_ count: Int) {
      supervisor = SourceSupervisorTests.open(count)
    }

    /// `valid(second)` returns for each source `true` (fix), `false` (no fix) or `nil` (silence).
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

  @Test func `The lead changes after 3 s of silence and returns after 10 s without a gap`() {
    var race = Race(2)
    race.run(1..<60) { [(10..<20).contains($0) ? nil : true, true] }
    #expect(race.changes.map(\.action) == [.lead(from: 0, to: 1, .silent), .lead(from: 1, to: 0, .preferred)])
    #expect(race.changes.map(\.second) == [12, 30])
    #expect(race.published[0..<9].allSatisfy { $0 == 0 })
    #expect(race.published[12..<28].allSatisfy { $0 == 1 })
    #expect(race.published[30...].allSatisfy { $0 == 0 })
  }

  @Test func `The lead changes without a fix as after silence, with its own reason`() {
    var race = Race(2)
    race.run(1..<20) { [$0 >= 10 ? false : true, true] }
    #expect(race.changes.map(\.action) == [.lead(from: 0, to: 1, .noFix)])
    #expect(race.changes.map(\.second) == [12])
  }

  @Test func `Bytes without an epoch are not silence`() {
    var supervisor = SourceSupervisorTests.open(2)
    _ = supervisor.epoch(0, fix: .threeD, at: at(1))
    for second in 2...4 {
      supervisor.bytes(0, at: at(Double(second) - 0.5))
      let actions = supervisor.epoch(1, fix: .threeD, at: at(Double(second)))
      if second == 4 { #expect(actions.contains(.lead(from: 0, to: 1, .noFix))) }
    }
    #expect(supervisor.lead == 1)
  }

  @Test func `A gap restarts the 10 s`() {
    var race = Race(2)
    // One epoch without a fix every 8 s.
    race.run(1..<100) { [$0 < 20 ? nil : $0 % 8 != 0, true] }
    #expect(race.changes.map(\.action) == [.lead(from: 0, to: 1, .silent)])
    race.run(100..<120) { _ in [true, true] }
    #expect(race.changes.last?.action == .lead(from: 1, to: 0, .preferred))
    #expect(race.changes.last?.second == 107, "valid since 97")
  }

  @Test func `The preferred source leads at once if the leading one fails meanwhile`() {
    var race = Race(2)
    race.run(1..<40) { [$0 < 20 ? nil : true, $0 < 22 ? true : nil] }
    #expect(
      race.changes.map(\.action) == [.lead(from: 0, to: 1, .silent), .lead(from: 1, to: 0, .silent)])
    #expect(race.changes.last?.second == 24)
  }

  @Test func `The preferred source has 3 s at the start before another one leads`() {
    var race = Race(2)
    race.run(1..<10) { [$0 >= 2 ? true : nil, true] }
    #expect(race.changes.isEmpty)
    #expect(race.published == [nil, 0, 0, 0, 0, 0, 0, 0, 0])
  }

  @Test func `The lead stays if no source is available`() {
    var race = Race(3)
    race.run(1..<30) { [$0 < 5 ? true : nil, false, nil] }
    #expect(race.changes.isEmpty)
    #expect(race.supervisor.lead == 0)
  }

  @Test func `The next of three sources with fixes leads, and the lead returns step by step`() {
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

  @Test func `A failed leading source is the reason for the change`() {
    var supervisor = SourceSupervisorTests.open(2)
    _ = supervisor.epoch(0, fix: .threeD, at: at(1))
    _ = supervisor.epoch(1, fix: .threeD, at: at(1))
    let error = SourceError.busy(device: "/dev/gps0", holder: nil)
    #expect(
      supervisor.note(.failed(error), of: 0, at: at(1.5)) == [.state(source: 0, .failed(error, previous: .tracking))])
    _ = supervisor.epoch(1, fix: .threeD, at: at(3))
    #expect(supervisor.deadline == at(4))
    #expect(supervisor.expire(at: at(4)) == [.lead(from: 0, to: 1, .failed)])
  }

  @Test(arguments: 1...8)
  func `Fixes of two sources are never interleaved`(_ seed: Int) {
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
    // The lead returns to a preferred source only after 10 s, or if the leading one had no fix for 3 s.
    var last = 0
    for (second, action) in race.changes {
      guard case .lead(let from, let to, let reason) = action else { continue }
      #expect(from != to)
      if reason == .preferred { #expect(to < from) } else { #expect(second - last >= 2) }
      last = second
    }
  }
}

@Suite("Handover")
struct HandoverTests {
  private func utc(_ seconds: Double) -> UTCInstant {
    UTCInstant(nanosecondsSince1970: 1_774_000_000_000_000_000 + Int64(seconds * 1e9))
  }

  @Test func `Instants delivered by the previous source are filtered`() {
    var handover = Handover()
    func passes(_ measured: UTCInstant?, _ source: SourceID) -> Bool { handover.passes(measured, source: source) }
    #expect(passes(utc(1), 1) == true)
    #expect(passes(utc(2), 1) == true)
    #expect(passes(utc(1.5), 0) == false)
    #expect(passes(utc(2), 0) == false)
    #expect(passes(utc(2.5), 0) == true)
    #expect(passes(utc(2.5), 1) == false)
    #expect(handover.overlapping == 3)
  }

  @Test func `Fixes of one source are not filtered`() {
    var handover = Handover()
    func passes(_ measured: UTCInstant?, _ source: SourceID) -> Bool { handover.passes(measured, source: source) }
    #expect(passes(utc(2), 0) == true)
    #expect(passes(utc(1), 0) == true)
  }

  @Test func `A source with another clock, or without a date, is not filtered for ever`() {
    var handover = Handover()
    func passes(_ measured: UTCInstant?, _ source: SourceID) -> Bool { handover.passes(measured, source: source) }
    #expect(passes(utc(100), 0) == true)
    #expect(passes(nil, 1) == true)
    #expect(passes(utc(90), 1) == false)
    #expect(passes(utc(89.9), 1) == true)
  }
}
