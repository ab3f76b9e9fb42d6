import Testing

@testable import LocationCore

@Suite("Source states")
struct SourceStateTests {
  static let denied = SourceError.denied(device: "/dev/ttyACM0", group: "dialout", user: "rider")
  static let gone = SourceError.notFound(device: "/dev/gps0", present: [])
  static let mute = SourceError.noNMEA(device: "/dev/gps0", bytes: 900, speeds: [9600])

  /// Every state against every event; what is not named is illegal.
  static let states: [SourceState] = [
    .idle, .opening, .acquiring, .tracking(.twoD), .lost(since: at(7)), .failed(denied, previous: .opening),
    .failed(mute, previous: .acquiring),
  ]
  static let events: [SourceEvent] = [.opening, .opened, .fix(.threeD), .lost(since: at(9)), .failed(gone), .closed]

  static let table: [[SourceState?]] = [
    [.opening, nil, nil, nil, .failed(gone, previous: .idle), .idle],
    [nil, .acquiring, nil, nil, .failed(gone, previous: .opening), .idle],
    [nil, nil, .tracking(.threeD), nil, .failed(gone, previous: .acquiring), .idle],
    [nil, nil, .tracking(.threeD), .lost(since: at(9)), .failed(gone, previous: .tracking), .idle],
    [.lost(since: at(7)), .acquiring, .tracking(.threeD), nil, .failed(gone, previous: .lost), .idle],
    [.failed(denied, previous: .opening), .acquiring, nil, nil, .failed(gone, previous: .opening), .idle],
    [
      .failed(mute, previous: .acquiring), .acquiring, .tracking(.threeD), nil, .failed(gone, previous: .acquiring),
      .idle,
    ],
  ]

  @Test("every event in every state", arguments: states.indices, events.indices)
  func table(_ state: Int, _ event: Int) {
    #expect(Self.states[state].after(Self.events[event]) == Self.table[state][event])
  }

  @Test("the table misses no phase")
  func complete() {
    #expect(Set(Self.states.map(\.phase)) == Set(SourcePhase.allCases))
    #expect(Self.table.count == Self.states.count && Self.table.allSatisfy { $0.count == Self.events.count })
  }

  @Test("whatever happens, no state is reached but by a legal event", arguments: 1...5)
  func walk(_ seed: Int) {
    var random = SeededNoise(seed: UInt64(seed))
    var state = SourceState.idle
    var seen: Set<SourcePhase> = []
    for _ in 0..<5_000 {
      let event = Self.events[Int.random(in: 0..<Self.events.count, using: &random)]
      guard let next = state.after(event) else { continue }
      if case .lost = next, case .lost = event { #expect(state.phase == .tracking) }
      if case .tracking = next { #expect(event == .fix(.threeD)) }
      state = next
      seen.insert(state.phase)
    }
    #expect(seen.count == SourcePhase.allCases.count)
  }
}
