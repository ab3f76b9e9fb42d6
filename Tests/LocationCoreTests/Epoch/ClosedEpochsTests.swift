import Testing

@testable import LocationCore

@Suite("Epochs that one read closed")
struct ClosedEpochsTests {
  private func epoch(_ second: Int64) -> Epoch {
    Epoch(
      outcome: .held, timeOfDay: nil, measured: nil, received: MonotonicInstant(nanoseconds: second), sky: nil,
      noise: nil, rolloverSuspect: false)
  }

  private struct Told: Equatable {
    let second: Int64
    let isNewest: Bool
  }

  private func told(_ epochs: consuming ClosedEpochs) -> [Told] {
    var all: [Told] = []
    epochs.forEach { all.append(Told(second: $0.received.nanoseconds, isNewest: $1)) }
    return all
  }

  @Test("are told in their order, the newest as such", arguments: 0...4)
  func order(count: Int64) {
    var closed = ClosedEpochs()
    for second in 0..<count { closed.append(epoch(second)) }
    #expect(closed.isEmpty == (count == 0))
    #expect(told(closed) == (0..<count).map { Told(second: $0, isNewest: $0 == count - 1) })
  }

  @Test("once taken are forgotten")
  func taking() {
    var closed = ClosedEpochs()
    closed.append(epoch(1))
    closed.append(epoch(2))
    let taken = closed.take()
    let isEmpty = closed.isEmpty
    #expect(isEmpty)
    // What telling of one leads to may close another.
    var seconds: [Int64] = []
    taken.forEach { first, _ in
      seconds.append(first.received.nanoseconds)
      closed.append(epoch(first.received.nanoseconds + 10))
    }
    #expect(seconds == [1, 2])
    #expect(told(closed.take()) == [Told(second: 11, isNewest: false), Told(second: 12, isNewest: true)])
    #expect(told(closed).isEmpty)
  }
}
