import GPSDProtocol
import Glibc
import LocationClient
import LocationCore
import Testing

@testable import LocationDaemon

@Suite("Poses")
struct PoseTests {
  /// A client that receives every fix and poses.
  private func watch(_ daemon: VirtualDaemon, poses: Int) throws -> VirtualClient {
    let client = daemon.connect()
    try client.send(#"?WATCH={"enable":true,"json":true,"distanceFilter":0,"poses":\#(poses)};"#)
    return client
  }

  @Test func `Each subscriber receives poses at its rate, on the grid of the fixes' times`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let clients = try [5, 10, 60].map { try watch(daemon, poses: $0) }
    daemon.ride(0...4)
    for client in clients { _ = try client.take() }
    daemon.ride(5...14)
    for (client, rate) in zip(clients, [5, 10, 60]) {
      let poses = try client.take().poses
      #expect(abs(poses.count - 10 * rate) <= rate / 2)
      #expect(
        poses.allSatisfy { abs($0.age * Double(rate) - ($0.age * Double(rate)).rounded()) < 0.001 * Double(rate) })
    }
  }

  @Test func `A client that does not read receives the newest pose and none of the old ones`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let slow = try watch(daemon, poses: 60)
    let fast = try watch(daemon, poses: 60)
    daemon.ride(0...4)
    _ = (try slow.take(), try fast.take())
    slow.stopReading()
    daemon.ride(5...14)
    slow.resumeReading()
    let late = try slow.take().poses
    let all = try fast.take().poses
    // Those being written when reading stopped, then the newest.
    #expect(late.filter { $0.fixSeq > 6 } == all.suffix(1) && all.count > 500)
  }

  @Test func `Poses have no effect on fixes, their numbers and their filter`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let plain = try daemon.watch(filter: 30)
    daemon.ride(0...9)
    let before = try plain.take().fixes.map { "\($0.seq ?? 0) \($0.reason ?? "")" }

    let other = try VirtualDaemon()
    other.open()
    let beside = try other.watch(filter: 30)
    _ = try watch(other, poses: 60)
    other.ride(0...9)
    #expect(try beside.take().fixes.map { "\($0.seq ?? 0) \($0.reason ?? "")" } == before)
  }

  @Test func `The constant delay is configured, stated, and changed by a reload`() throws {
    let daemon = try VirtualDaemon { $0.latency = 0.3 }
    daemon.open()
    let client = try watch(daemon, poses: 60)
    daemon.ride(0...9)
    let lines = try client.take()
    #expect(lines.latencies.first == 0.3)
    #expect(lines.poses.suffix(300).allSatisfy { $0.age > 0.299 && $0.age < 1.32 })
    var configuration = DaemonConfiguration()
    configuration.latency = 0
    daemon.apply(configuration)
    daemon.ride(10...19)
    let later = try client.take()
    #expect(later.latencies.last == 0)
    let age = try #require(later.poses.suffix(300).map(\.age).max())
    #expect(age > 0.98 && age < 1.02)
  }

  @Test(arguments: ["city", "mountain"])
  func `Daemon and library draw the same poses, to the bit`(ride: String) async throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = try watch(daemon, poses: 10)
    let (stream, feed) = AsyncStream.makeStream(of: LocationClient.Update.self)
    let updates = LocationUpdates(stream)
    var iterator = updates.makeAsyncIterator()
    let begin = ContinuousClock.now
    let first = daemon.now
    func instant(_ now: MonotonicInstant) -> ContinuousClock.Instant { begin + (now - first) }

    var compared = 0
    for (pause, bytes) in try Self.bursts(of: ride).prefix(1500) {
      daemon.advance(pause)
      daemon.receive(bytes)
      for line in try client.take() {
        guard let update = LocationClient.Update(line.report, at: instant(daemon.now)) else { continue }
        feed.yield(update)
        _ = await iterator.next()
      }
      // The first epochs are closed by silence, before their lines arrive here.
      guard daemon.now - first > .seconds(60), let motion = daemon.engineLoop.engine.motion else { continue }
      for frame in 0..<6 {
        let shown = daemon.now + .nanoseconds(16_666_667 * frame)
        guard let pose = motion.pose(at: shown) else { continue }
        compared += 1
        #expect(updates.pose(at: instant(shown)) == pose)
      }
    }
    #expect(compared > 1000)
  }

  /// The reads of a bundled recording, each with the seconds since the one before.
  private static func bursts(of ride: String) throws -> [(Double, String)] {
    let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
    let file = try #require(fopen("\(root)/recordings/\(ride).nmea", "r"))
    defer { fclose(file) }
    var bursts: [(time: Double, text: String)] = []
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = line.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } ?? ""
      if text.hasPrefix("# t=") {
        bursts.append((Double(text.dropFirst(4).prefix { $0 != " " }) ?? 0, ""))
      } else if !bursts.isEmpty, !text.hasPrefix("#") {
        bursts[bursts.count - 1].text += text
      }
    }
    return zip(bursts, bursts.dropFirst()).map { (($1.time - $0.time) / 1000, $1.text) }
  }
}

extension [ReceivedLine] {
  var poses: [POSE] { compactMap { if case .pose(let one) = $0.report { one } else { nil } } }
}
