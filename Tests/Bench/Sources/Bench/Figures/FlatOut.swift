import Glibc

/// A ride fed as fast as the line takes it.
final class FlatOut {
  /// What came of a stretch of the ride.
  struct Result {
    /// From its first byte on the line to its last fix read by every client, seconds.
    var seconds: Double
    /// CPU time, nanoseconds.
    var cpu: Int64
  }

  let running: RunningSubject
  private let clients: [Client]
  private let poller: Poller

  init(_ subject: Subject, clients count: Int, in scratch: Scratch) throws {
    let running = try subject.start(in: scratch)
    let poller = try Poller()
    clients = try (0..<count).map { tag in
      let client = try running.subscribe()
      try poller.add(client.descriptor, tag: tag)
      return client
    }
    self.running = running
    self.poller = poller
    try drain(for: 200_000_000)
  }

  /// Feeds these epochs and waits for the fix of the last.
  func feed(_ epochs: Range<Int>, of ride: RideText) throws -> Result {
    let before = try Usage(of: running.child.pid)
    let bytes = Array(
      ride.bytes[(epochs.lowerBound == 0 ? 0 : ride.ends[epochs.lowerBound - 1])..<ride.ends[epochs.upperBound - 1]])
    let begin = Clock.now
    let feeder = try Feeder(bytes, to: running.terminal)
    let deadline = begin + 60_000_000_000
    var waiting = Set(clients.indices)
    while !waiting.isEmpty {
      guard Clock.now < deadline else { throw Failure("\(running.subject): the last fix of a ride did not come") }
      try poller.wait(until: deadline) { tag in
        try clients[tag].read { arrival in
          if arrival.epoch == epochs.upperBound - 1 { waiting.remove(tag) }
        }
      }
    }
    let seconds = Double(Clock.now - begin) / 1e9
    feeder.join()
    return Result(seconds: seconds, cpu: (try Usage(of: running.child.pid) - before).cpu)
  }

  private func drain(for nanoseconds: Int64) throws {
    let end = Clock.now + nanoseconds
    while Clock.now < end { try poller.wait(until: end) { try clients[$0].read { _ in } } }
  }
}

/// A thread that writes to a line, so that a full line does not keep the clients from being read.
private final class Feeder {
  private final class Work {
    let bytes: [UInt8]
    let terminal: Terminal

    init(_ bytes: [UInt8], _ terminal: Terminal) {
      self.bytes = bytes
      self.terminal = terminal
    }
  }

  private var thread = pthread_t()

  init(_ bytes: [UInt8], to terminal: Terminal) throws {
    let work = Unmanaged.passRetained(Work(bytes, terminal))
    let code = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
        try? work.bytes.withUnsafeBytes { try work.terminal.write($0) }
        return nil
      }, work.toOpaque())
    guard code == 0 else { throw Failure("pthread_create", code: code) }
  }

  func join() { pthread_join(thread, nil) }
}
