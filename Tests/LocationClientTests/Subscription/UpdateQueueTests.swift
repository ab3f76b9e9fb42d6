import GPSDProtocol
import Testing

@testable import LocationClient

@Suite struct UpdateQueueTests {
  private let begin = ContinuousClock.now

  private func position(_ seq: Int) throws -> LocationClient.Update {
    let line = #"{"class":"TPV","mode":3,"lat":1,"lon":2,"seq":\#(seq)}"#
    return try #require(LocationClient.Update(try Report(line: Array(line.utf8)[...]), at: begin))
  }

  private func event(_ number: Int) -> LocationClient.Update {
    .follow(FollowReport(view: "\(number)", following: true))
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

  @Test func `A new position replaces the old one`() throws {
    var queue = UpdateQueue()
    for seq in 1...10_000 { queue.push(try position(seq)) }
    queue.push(event(1))
    queue.push(try position(10_001))
    #expect(drain(&queue) == [event(1), try position(10_001)])
    #expect(queue.missed == 0)
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
