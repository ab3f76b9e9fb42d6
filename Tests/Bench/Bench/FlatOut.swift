import Glibc

/// As fast as the programs go.
extension Bench {
  /// An hour at 10 Hz through a terminal, then the same hour as a recording.
  func flatOut() throws -> [Figure] {
    var throughput = Figure("flat-out throughput, tty → client", unit: "k sentences/s", target: .ratioAtLeast(5))
    var cpu = Figure("CPU per epoch, flat out", unit: "µs", target: .ratioAtMost(0.15))
    var replay = Figure("replay at max, 36,000 epochs", unit: "s", target: .ratioAtMost(0.16), remark: "by tty")
    let epochs = 36_000
    let hour = RideText(epochs: epochs)
    let recording = try scratch.write(RideText(epochs: epochs, asRecording: true).bytes, to: "hour.nmea")
    for _ in 0..<4 {
      let results = try [ours, gpsd, .floor].map { subject in
        try FlatOut(subject, clients: 1, in: scratch).feed(0..<epochs, of: hour)
      }
      let speeds = results.map { Double(epochs * RideText.sentences) / 1000 / $0.seconds }
      let costs = results.map { Double($0.cpu) / 1000 / Double(epochs) }
      throughput.add(speeds[0], speeds[1], floor: speeds[2])
      cpu.add(costs[0], costs[1], floor: costs[2])
      replay.add(try replayed(recording, epochs: epochs), results[1].seconds)
    }
    return [throughput, cpu, replay]
  }

  /// A day at 1 Hz as fast as possible, and the growth in memory.
  func day() throws -> [Figure] {
    var growth = Figure("anonymous memory gained in 86,400 epochs, 8 clients", unit: "MB", target: .atMost(0.25))
    let ride = RideText(epochs: 86_400)
    let run = try FlatOut(ours, clients: 8, in: scratch)
    _ = try run.feed(0..<8640, of: ride)
    let before = try Memory(of: run.running.child.pid)
    _ = try run.feed(8640..<86_400, of: ride)
    growth.add((try Memory(of: run.running.child.pid).anonymous - before.anonymous) / 1024)
    return [growth]
  }

  /// From the subscription to the last fix of a recording, seconds. Every fix must arrive.
  private func replayed(_ recording: String, epochs: Int) throws -> Double {
    let running = try ours.start(in: scratch, source: "recording:\(recording)?speed=max")
    let poller = try Poller()
    let client = try running.connect()
    try poller.add(client.descriptor, tag: 0)
    let begin = Clock.now
    try client.send(ours.subscription)
    let deadline = begin + 60_000_000_000
    while client.newest?.epoch != epochs - 1 {
      guard Clock.now < deadline else { throw Failure("the replay did not end within 60 s") }
      try poller.wait(until: deadline) { _ in try client.read { _ in } }
    }
    guard client.fixes == epochs else { throw Failure("\(client.fixes) of \(epochs) fixes arrived from the replay") }
    return Double(Clock.now - begin) / 1e9
  }
}

/// A ride fed as fast as the terminal accepts it.
final class FlatOut {
  /// The measurements of a stretch of the ride.
  struct Result {
    /// From its first byte on the terminal to its last fix at every client, seconds.
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

  /// Feeds these epochs and waits for the fix of the last at every client.
  func feed(_ epochs: Range<Int>, of ride: RideText) throws -> Result {
    let before = try Usage(of: running.child.pid)
    let bytes = Array(
      ride.bytes[(epochs.lowerBound == 0 ? 0 : ride.ends[epochs.lowerBound - 1])..<ride.ends[epochs.upperBound - 1]])
    let begin = Clock.now
    let feeder = try Feeder(bytes, to: running.terminal)
    let deadline = begin + 120_000_000_000
    var waiting = Set(clients.indices)
    while !waiting.isEmpty {
      guard Clock.now < deadline else {
        let newest = waiting.compactMap { clients[$0].newest?.epoch }.min()
        throw Failure(
          "\(running.subject): \(waiting.count) of \(clients.count) clients lack epoch \(epochs.upperBound - 1) after "
            + "120 s; the newest is \(newest.map(String.init) ?? "none")")
      }
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

/// A thread that writes to a terminal, so that a full one does not keep the clients from being read.
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
