import LocationCore
import NIOCore
import Testing

@testable import LocationDaemon

@Suite("What waits for a slow client")
struct OutboxTests {
  private func fix(_ seq: UInt64) -> PublishedFix {
    PublishedFix(fix: Fix(position: .munich, mode: .threeD, received: .zero), seq: seq, source: 0)
  }

  private func pending(_ seq: UInt64, _ reason: DeliveryReason) -> Outbox.PendingFix {
    Outbox.PendingFix(fix: fix(seq), reason: reason)
  }

  @Test("only the newest fix waits, and what it replaced is counted")
  func newestFix() {
    var outbox = Outbox()
    #expect(outbox.isEmpty)
    for seq in 1...1000 { outbox.hold(pending(UInt64(seq), .moved)) }
    #expect(!outbox.isEmpty)
    #expect(outbox.fix?.fix.seq == 1000)
    #expect(outbox.replacedFixes == 999)
  }

  @Test("64 events wait, one more is refused and changes nothing")
  func events() {
    var outbox = Outbox()
    let taken = (0...64).map { outbox.append(event: ByteBuffer(string: "\($0)")) }
    #expect(taken == Array(repeating: true, count: 64) + [false])
    #expect(outbox.events.count == 64)
    #expect(outbox.events.last == ByteBuffer(string: "63"))
  }

  @Test("at full speed there is no bound: the replay waits instead")
  func unbounded() {
    var outbox = Outbox()
    for number in 0..<1000 { outbox.appendUnbounded(event: ByteBuffer(string: "\(number)")) }
    #expect(outbox.events.count == 1000)
  }

  @Test("taken out whole, it is empty, and the count of replaced fixes goes on")
  func take() {
    var outbox = Outbox()
    outbox.hold(pending(1, .moved))
    outbox.hold(pending(2, .moved))
    outbox.hold(sky: ByteBuffer(string: "old"))
    outbox.hold(sky: ByteBuffer(string: "new"))
    _ = outbox.append(event: ByteBuffer(string: "a"))
    _ = outbox.append(event: ByteBuffer(string: "b"))
    let (events, fix, sky) = outbox.take()
    #expect(Array(events) == [ByteBuffer(string: "a"), ByteBuffer(string: "b")])
    #expect(fix?.fix.seq == 2)
    #expect(sky == ByteBuffer(string: "new"))
    #expect(outbox.isEmpty)
    #expect(outbox.replacedFixes == 1)
  }

  /// What is told when the second takes the place of the first.
  static let replacements: [(old: DeliveryReason, new: DeliveryReason, told: DeliveryReason)] = [
    (.stopped, .moved, .stopped), (.started, .moved, .started), (.mode, .moved, .mode), (.source, .moved, .source),
    (.regained, .moved, .regained), (.first, .moved, .first), (.moved, .moved, .moved),
    (.heartbeat, .moved, .moved), (.requested, .moved, .moved), (.snapshot, .moved, .moved),
    (.stopped, .heartbeat, .stopped), (.moved, .heartbeat, .moved),
    (.stopped, .started, .started), (.moved, .stopped, .stopped), (.mode, .regained, .regained),
    (.moved, .requested, .requested), (.first, .source, .source),
  ]

  @Test("a reason that is told only once outlives the fix it came with", arguments: replacements)
  func reasons(old: DeliveryReason, new: DeliveryReason, told: DeliveryReason) {
    var outbox = Outbox()
    outbox.hold(pending(1, old))
    outbox.hold(pending(2, new))
    #expect(outbox.fix?.reason == told)
    #expect(outbox.fix?.fix.seq == 2)
  }

  @Test("and it outlives a hundred of them")
  func reasonStays() {
    var outbox = Outbox()
    outbox.hold(pending(1, .stopped))
    for seq in 2...100 { outbox.hold(pending(UInt64(seq), .moved)) }
    #expect(outbox.fix?.reason == .stopped)
  }
}
