import Testing

@testable import LocationCore

@Suite("Source supervision: another list of sources")
struct RearrangingTests {
  /// Both sources open, the first tracking.
  private func pair(bothTrack: Bool = false) -> SourceSupervisor {
    var supervisor = SourceSupervisorTests.open(2)
    for second in 1...5 {
      _ = supervisor.epoch(0, fix: .threeD, at: at(Double(second)))
      if bothTrack { _ = supervisor.epoch(1, fix: .twoD, at: at(Double(second) + 0.1)) }
    }
    return supervisor
  }

  @Test("what stays keeps its state, wherever it stands; what is new is idle")
  func keeps() {
    var supervisor = pair()
    #expect(supervisor.rearrange([nil, 1, 0], at: at(5.5)) == [])
    #expect(supervisor.states == [.idle, .acquiring, .tracking(.threeD)])
    #expect(supervisor.lead == 2)
    #expect(supervisor.epoch(2, fix: .threeD, at: at(6)) == [])
    #expect(supervisor.expire(at: at(9.5)) == [.state(source: 2, .lost(since: at(6)))])
  }

  @Test("without the leading one the most preferred that has a fix leads")
  func leadRemoved() {
    var supervisor = pair(bothTrack: true)
    #expect(supervisor.rearrange([nil, 1], at: at(5.5)) == [.lead(from: 0, to: 1, .removed)])
    #expect(supervisor.leadState == .tracking(.twoD))
  }

  @Test("with none that has one, the first")
  func nobodyTracks() {
    var supervisor = pair()
    #expect(supervisor.rearrange([nil, 1], at: at(5.5)) == [.lead(from: 0, to: 0, .removed)])
    #expect(supervisor.leadState == .idle)
  }

  @Test("a source that moves in front leads when it has been valid for ten seconds")
  func preferred() {
    var supervisor = pair(bothTrack: true)
    for second in 6...20 {
      _ = supervisor.epoch(0, fix: .threeD, at: at(Double(second)))
      _ = supervisor.epoch(1, fix: .twoD, at: at(Double(second) + 0.1))
    }
    #expect(supervisor.rearrange([1, 0], at: at(20.5)) == [.lead(from: 1, to: 0, .preferred)])
  }

  @Test("places that never were are new sources; no place at all is one")
  func strange() {
    var supervisor = pair()
    _ = supervisor.rearrange([7, -1], at: at(6))
    #expect(supervisor.states == [.idle, .idle])
    _ = supervisor.rearrange([], at: at(7))
    #expect(supervisor.states == [.idle])
    #expect(supervisor.lead == 0)
  }
}
