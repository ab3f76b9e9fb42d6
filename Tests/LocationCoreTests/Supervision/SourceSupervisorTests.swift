import Testing

@testable import LocationCore

@Suite("Source supervisor: states")
struct SourceSupervisorTests {
  /// A supervisor of `count` sources, all open at 0 s.
  static func open(_ count: Int = 1) -> SourceSupervisor {
    var supervisor = SourceSupervisor(count: count, at: at(0))
    for index in 0..<count {
      #expect(supervisor.note(.opening, of: index, at: at(0)) == [.state(source: index, .opening)])
      #expect(supervisor.note(.opened, of: index, at: at(0)) == [.state(source: index, .acquiring)])
    }
    return supervisor
  }

  @Test func `A source goes from idle to tracking`() {
    var supervisor = Self.open()
    #expect(supervisor.epoch(0, fix: nil, at: at(1)) == [])
    #expect(supervisor.epoch(0, fix: .twoD, at: at(2)) == [.state(source: 0, .tracking(.twoD))])
    #expect(supervisor.epoch(0, fix: .twoD, at: at(3)) == [])
    #expect(supervisor.leadState == .tracking(.twoD))
    #expect(supervisor.states == [.tracking(.twoD)])
  }

  @Test func `A change of mode is reported with its second epoch, and flicker is not reported`() {
    var supervisor = Self.open()
    _ = supervisor.epoch(0, fix: .twoD, at: at(1))
    #expect(supervisor.epoch(0, fix: .threeD, at: at(2)) == [])
    #expect(supervisor.epoch(0, fix: .twoD, at: at(3)) == [])
    #expect(supervisor.epoch(0, fix: .threeD, at: at(4)) == [])
    #expect(supervisor.epoch(0, fix: .threeD, at: at(5)) == [.state(source: 0, .tracking(.threeD))])
  }

  @Test(arguments: [1.0, 0.1])
  func `A silent source is lost 3 s after the last valid epoch, at 1 Hz and at 10 Hz`(_ period: Double) {
    var supervisor = Self.open()
    var now = 0.0
    for step in 1...20 {
      now = Double(step) * period
      _ = supervisor.epoch(0, fix: .threeD, at: at(now))
    }
    #expect(supervisor.deadline == at(now + 3))
    #expect(supervisor.expire(at: at(now + 2.999)) == [])
    #expect(supervisor.expire(at: at(now + 3)) == [.state(source: 0, .lost(since: at(now)))])
    #expect(supervisor.expire(at: at(now + 9)) == [])
    #expect(supervisor.deadline == nil)
  }

  @Test func `A slow receiver is lost after three of its periods`() {
    var supervisor = Self.open()
    for step in 0..<6 {
      let now = at(5 * Double(step))
      _ = supervisor.expire(at: now)
      _ = supervisor.epoch(0, fix: .threeD, at: now)
    }
    #expect(supervisor.deadline == at(40))
    #expect(supervisor.expire(at: at(39.9)) == [])
    #expect(supervisor.expire(at: at(40)).count == 1)
  }

  @Test func `One long gap does not change the period`() {
    var supervisor = Self.open()
    for step in 0..<10 { _ = supervisor.epoch(0, fix: .threeD, at: at(Double(step))) }
    _ = supervisor.epoch(0, fix: .threeD, at: at(24))
    #expect(supervisor.deadline == at(27))
  }

  @Test func `Two consecutive no-fix epochs are a loss, one is not`() {
    var supervisor = Self.open()
    _ = supervisor.epoch(0, fix: .threeD, at: at(1))
    #expect(supervisor.epoch(0, fix: nil, at: at(2)) == [])
    #expect(supervisor.epoch(0, fix: .threeD, at: at(3)) == [])
    #expect(supervisor.epoch(0, fix: nil, at: at(4)) == [])
    #expect(supervisor.epoch(0, fix: nil, at: at(5)) == [.state(source: 0, .lost(since: at(3)))])
    #expect(supervisor.epoch(0, fix: nil, at: at(6)) == [])
    #expect(supervisor.epoch(0, fix: .threeD, at: at(7)) == [.state(source: 0, .tracking(.threeD))])
  }

  @Test func `Held fixes are not a loss, and do not make a source valid`() {
    var supervisor = Self.open()
    #expect(supervisor.held(0, at: at(0.5)) == [])
    #expect(supervisor.leadState == .acquiring)
    _ = supervisor.epoch(0, fix: .threeD, at: at(1))
    for second in 2...5 { #expect(supervisor.held(0, at: at(Double(second))) == []) }
    #expect(supervisor.epoch(0, fix: .threeD, at: at(6)) == [])
    #expect(supervisor.deadline == at(9))
    _ = supervisor.held(0, at: at(7))
    #expect(supervisor.expire(at: at(10)) == [.state(source: 0, .lost(since: at(7)))])
    #expect(supervisor.held(0, at: at(11)) == [])
    #expect(supervisor.leadState == .lost(since: at(7)))
  }

  @Test func `An unplugged receiver is lost until it is open again, and then acquiring`() {
    var supervisor = Self.open()
    _ = supervisor.epoch(0, fix: .threeD, at: at(1))
    let gone = SourceError.notFound(device: "/dev/gps0", present: [])
    #expect(supervisor.unplugged(0, gone, at: at(2)) == [.state(source: 0, .lost(since: at(1)))])
    #expect(supervisor.note(.opening, of: 0, at: at(2.3)) == [])
    #expect(supervisor.note(.failed(gone), of: 0, at: at(2.4)) == [.state(source: 0, .failed(gone, previous: .lost))])
    for attempt in 3..<10 {
      #expect(supervisor.note(.opening, of: 0, at: at(Double(attempt))) == [])
      #expect(supervisor.note(.failed(gone), of: 0, at: at(Double(attempt))) == [])
    }
    #expect(supervisor.note(.opened, of: 0, at: at(11)) == [.state(source: 0, .acquiring)])
    #expect(supervisor.epoch(0, fix: .twoD, at: at(11.5)) == [.state(source: 0, .tracking(.twoD))])
    #expect(supervisor.unplugged(0, gone, at: at(12)).count == 1)
  }

  @Test func `A receiver unplugged before its first fix has failed`() {
    var supervisor = Self.open()
    let gone = SourceError.notFound(device: "/dev/gps0", present: [])
    #expect(supervisor.unplugged(0, gone, at: at(2)) == [.state(source: 0, .failed(gone, previous: .acquiring))])
  }

  @Test func `A fix ends the error noNMEA`() {
    var supervisor = Self.open()
    let mute = SourceError.noNMEA(device: "/dev/gps0", bytes: 900, speeds: [9600])
    #expect(
      supervisor.note(.failed(mute), of: 0, at: at(16)) == [.state(source: 0, .failed(mute, previous: .acquiring))])
    #expect(supervisor.epoch(0, fix: nil, at: at(17)) == [])
    #expect(supervisor.epoch(0, fix: .threeD, at: at(18)) == [.state(source: 0, .tracking(.threeD))])
  }

  @Test func `Permanent errors of all sources give the most preferred one's error`() {
    var supervisor = SourceSupervisor(count: 2, at: at(0))
    let off = SourceError.disabled(source: "a", by: .rfkill(name: "gps"))
    let wrong = SourceError.misconfigured(source: "b", reason: "no such file")
    _ = supervisor.note(.failed(off), of: 0, at: at(0))
    #expect(supervisor.permanentError == nil)
    _ = supervisor.note(.failed(.unavailable(source: "b", reason: "refused")), of: 1, at: at(0))
    #expect(supervisor.permanentError == nil)
    _ = supervisor.note(.failed(wrong), of: 1, at: at(0))
    #expect(supervisor.permanentError == off)
    _ = supervisor.note(.opened, of: 1, at: at(1))
    #expect(supervisor.permanentError == nil)
  }

  @Test func `A source that ends is idle and has no deadline`() {
    var supervisor = Self.open()
    _ = supervisor.epoch(0, fix: .threeD, at: at(1))
    #expect(supervisor.note(.closed, of: 0, at: at(2)) == [.state(source: 0, .idle)])
    #expect(supervisor.deadline == nil)
  }

  #if DEBUG
    @Test func `An illegal event is a programming error`() async {
      await #expect(processExitsWith: .failure) {
        var supervisor = SourceSupervisor(count: 1, at: MonotonicInstant(nanoseconds: 0))
        _ = supervisor.note(.opened, of: 0, at: MonotonicInstant(nanoseconds: 0))
      }
      await #expect(processExitsWith: .failure) {
        var supervisor = SourceSupervisor(count: 1, at: MonotonicInstant(nanoseconds: 0))
        _ = supervisor.epoch(0, fix: .threeD, at: MonotonicInstant(nanoseconds: 0))
      }
    }
  #else
    @Test func `An illegal event changes nothing`() {
      var supervisor = SourceSupervisor(count: 1, at: MonotonicInstant(nanoseconds: 0))
      #expect(supervisor.note(.opened, of: 0, at: MonotonicInstant(nanoseconds: 0)).isEmpty)
      #expect(supervisor.epoch(0, fix: .threeD, at: MonotonicInstant(nanoseconds: 0)).isEmpty)
    }
  #endif
}

@Suite("Source supervisor: rearranging")
struct RearrangingTests {
  /// Two open sources, of which the first or both are tracking.
  private func pair(bothTrack: Bool = false) -> SourceSupervisor {
    var supervisor = SourceSupervisorTests.open(2)
    for second in 1...5 {
      _ = supervisor.epoch(0, fix: .threeD, at: at(Double(second)))
      if bothTrack { _ = supervisor.epoch(1, fix: .twoD, at: at(Double(second) + 0.1)) }
    }
    return supervisor
  }

  @Test func `A remaining source keeps its state, and a new one is idle`() {
    var supervisor = pair()
    #expect(supervisor.rearrange([nil, 1, 0], at: at(5.5)) == [])
    #expect(supervisor.states == [.idle, .acquiring, .tracking(.threeD)])
    #expect(supervisor.lead == 2)
    #expect(supervisor.epoch(2, fix: .threeD, at: at(6)) == [])
    #expect(supervisor.expire(at: at(9.5)) == [.state(source: 2, .lost(since: at(6)))])
  }

  @Test func `Without the leading source, the most preferred one with a fix leads`() {
    var supervisor = pair(bothTrack: true)
    #expect(supervisor.rearrange([nil, 1], at: at(5.5)) == [.lead(from: 0, to: 1, .removed)])
    #expect(supervisor.leadState == .tracking(.twoD))
  }

  @Test func `Without a source with a fix, the first one leads`() {
    var supervisor = pair()
    #expect(supervisor.rearrange([nil, 1], at: at(5.5)) == [.lead(from: 0, to: 0, .removed)])
    #expect(supervisor.leadState == .idle)
  }

  @Test func `A source that moves to the front leads if it has been valid for ten seconds`() {
    var supervisor = pair(bothTrack: true)
    for second in 6...20 {
      _ = supervisor.epoch(0, fix: .threeD, at: at(Double(second)))
      _ = supervisor.epoch(1, fix: .twoD, at: at(Double(second) + 0.1))
    }
    #expect(supervisor.rearrange([1, 0], at: at(20.5)) == [.lead(from: 1, to: 0, .preferred)])
  }

  @Test func `Unknown indices are new sources, and an empty list becomes one`() {
    var supervisor = pair()
    _ = supervisor.rearrange([7, -1], at: at(6))
    #expect(supervisor.states == [.idle, .idle])
    _ = supervisor.rearrange([], at: at(7))
    #expect(supervisor.states == [.idle])
    #expect(supervisor.lead == 0)
  }
}
