import Glibc

/// Several subjects at 10 Hz in one run, each on its own terminal. Their epochs alternate, so that other load on the machine
/// affects all of them.
struct SideBySide {
  /// The measurements of one subject.
  struct Result {
    /// From an epoch's last byte to its fix at a client, of every client, milliseconds.
    var latencies: [Double] = []
    /// Lines with a position, of all clients.
    var fixes = 0
    var usage: Usage
    var memory: Memory
    let clients: Int
    let epochs: Int

    /// The latency that the share `q` of all deliveries does not exceed, milliseconds.
    func quantile(_ q: Double) -> Double { Spread.quantile(q, of: latencies) }
    /// CPU time per epoch, microseconds.
    var cpuPerEpoch: Double { Double(usage.cpu) / 1000 / Double(epochs) }
    /// CPU time per fix and client, microseconds.
    var cpuPerDelivery: Double { cpuPerEpoch / Double(clients) }
    var wakeupsPerEpoch: Double { Double(usage.wakeups) / Double(epochs) }
    /// Wake-ups per read, beyond one a second: a terminal delivers an epoch in one piece or in two.
    var wakeupsPerRead: Double {
      (Double(usage.wakeups) - Double(epochs) / Double(RideText.rate)) / Double(max(usage.reads, 1))
    }
    var fixesPerEpoch: Double { Double(fixes) / Double(clients) / Double(epochs) }
    /// The share of all fixes that arrived, over all clients, per cent.
    var delivered: Double { 100 * Double(latencies.count) / Double(clients * epochs) }
  }

  /// Epochs before the measurement, from which subjects learn the order of the sentences.
  static let warmUp = 20

  private let running: [RunningSubject]
  private let clients: [(subject: Int, client: Client)]
  private let clientCount: Int
  private let poller: Poller

  /// Starts every subject with `count` clients each.
  init(_ subjects: [Subject], clients count: Int, in scratch: Scratch) throws {
    running = try subjects.map { try $0.start(in: scratch) }
    poller = try Poller()
    var clients: [(Int, Client)] = []
    for (index, subject) in running.enumerated() {
      for _ in 0..<count {
        let client = try subject.subscribe()
        try poller.add(client.descriptor, tag: clients.count)
        clients.append((index, client))
      }
    }
    self.clients = clients
    clientCount = count
  }

  /// Whether what the subjects record is forwarded.
  var isForwarding: Bool { get throws { try running.allSatisfy { try $0.isForwarding } } }

  /// Feeds the warm-up and `epochs` more, to each subject in its form; returns the measurements of each.
  func measure(epochs: Int, forms: [RideText.Form]? = nil) throws -> [Result] {
    let total = Self.warmUp + epochs
    let rides = running.indices.map { RideText(epochs: total, form: forms?[$0] ?? .nmea) }
    let step = Int64(1_000_000_000 / RideText.rate / running.count)
    var sent = [[Int64]](repeating: [Int64](repeating: 0, count: total), count: running.count)
    var seen = [Int](repeating: -1, count: clients.count)
    var latencies = [[Double]](repeating: [], count: running.count)
    for index in running.indices { latencies[index].reserveCapacity(epochs * clientCount) }
    var fixes = [Int](repeating: 0, count: running.count)
    var before: [Usage] = []
    var tick = Clock.now + step

    func take(_ tag: Int) throws {
      let (subject, client) = clients[tag]
      try client.read { arrival in
        guard (Self.warmUp..<total).contains(arrival.epoch) else { return }
        fixes[subject] += 1
        guard arrival.epoch > seen[tag] else { return }
        seen[tag] = arrival.epoch
        latencies[subject].append(Double(arrival.at - sent[subject][arrival.epoch]) / 1e6)
      }
    }

    for epoch in 0..<total {
      if epoch == Self.warmUp { before = try running.map { try Usage(of: $0.child.pid) } }
      for (index, subject) in running.enumerated() {
        while Clock.now < tick { try poller.wait(until: tick, take) }
        sent[index][epoch] = Clock.now
        try rides[index].withEpoch(epoch) { try subject.terminal.write($0) }
        tick += step
      }
    }
    let end = tick + 300_000_000
    while Clock.now < end { try poller.wait(until: end, take) }
    return try running.indices.map { index in
      let pid = running[index].child.pid
      return Result(
        latencies: latencies[index], fixes: fixes[index], usage: try Usage(of: pid) - before[index],
        memory: try Memory(of: pid), clients: clientCount, epochs: epochs)
    }
  }
}
