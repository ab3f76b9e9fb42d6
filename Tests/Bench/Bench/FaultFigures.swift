import Glibc

/// With a fault: a receiver that is silent, unplugged or absent, and a client that does not read.
extension Bench {
  /// A receiver goes silent: the time until the loss is reported.
  func silence() throws -> [Figure] {
    var lost = Figure("silence: last byte → lost", unit: "s", target: .atMost(3.5))
    let runs = try (0..<4).map { _ in try ours.start(in: scratch) } + [try gpsd.start(in: scratch)]
    let clients = try runs.map { try $0.subscribe() }
    let poller = try Poller()
    for (tag, client) in clients.enumerated() { try poller.add(client.descriptor, tag: tag) }
    let ride = RideText(epochs: 20)
    for epoch in 0..<20 {
      for run in runs { try ride.withEpoch(epoch) { try run.terminal.write($0) } }
      try read(clients, poller, for: 100_000_000)
    }
    let end = Clock.now - 100_000_000
    try read(clients, poller, for: 4_000_000_000)
    for client in clients.dropLast() { lost.add(client.lost.map { Double($0 - end) / 1e9 } ?? .infinity) }
    withExtendedLifetime(runs) {}
    lost.remark = clients.last?.lost == nil ? "gpsd reports nothing" : "gpsd reports it"
    return [lost]
  }

  /// A receiver is unplugged and returns as another device behind the same link.
  func replug() throws -> [Figure] {
    var back = Figure("unplug → replug: first epoch's last byte → first fix", unit: "s", target: .atMost(1))
    for round in 0..<3 {
      let lines = try (0..<2).map { try Terminal(link: scratch.file("gps\(round)\($0)")) }
      let runs = try zip([ours, gpsd], lines).map { try $0.start(in: scratch, on: $1) }
      let clients = try runs.map { try $0.subscribe() }
      let poller = try Poller()
      for (tag, client) in clients.enumerated() { try poller.add(client.descriptor, tag: tag) }
      let ride = RideText(epochs: 200)
      func go(_ epochs: Range<Int>, until done: () -> Bool) throws {
        for epoch in epochs where !done() {
          for line in lines { try ride.withEpoch(epoch) { try line.send($0) } }
          try read(clients, poller, for: 100_000_000)
        }
      }
      try go(0..<20) { false }
      for line in lines { line.unplug() }
      try read(clients, poller, for: 1_500_000_000)
      let before = clients.map(\.fixes)
      for line in lines { try line.plug() }
      let begin = Clock.now
      var found = [Double](repeating: .infinity, count: 2)
      try go(40..<100) {
        for index in 0..<2 where found[index] == .infinity && clients[index].fixes > before[index] {
          found[index] = Double((clients[index].newest?.at ?? 0) - begin) / 1e9
        }
        return found.allSatisfy { $0 < .infinity }
      }
      withExtendedLifetime(runs) {}
      back.add(found[0], found[1] < .infinity ? found[1] : nil)
      if found[1] == .infinity { back.remark = "gpsd: no fix within 6 s" }
    }
    return [back]
  }

  /// A client that stops reading, beside one that reads: the fixes it receives when it reads again.
  func stalledClient() throws -> [Figure] {
    var stale = Figure(
      "client that stops for 2000 epochs: fixes it then receives", unit: "", target: .ratioAtMost(0.05))
    var behind = Figure("the same: epochs between its newest fix and the newest of all", unit: "", target: .exactly(0))
    var other = Figure("the same: fixes delivered to the client beside it", unit: "%", target: .exactly(100))
    let ride = RideText(epochs: 2050)
    for _ in 0..<2 {
      var results: [(left: Double, behind: Double, delivered: Double)] = []
      for subject in [ours, gpsd] {
        let run = try subject.start(in: scratch)
        let (reading, stalled) = (try run.subscribe(), try run.subscribe())
        let poller = try Poller()
        try poller.add(reading.descriptor, tag: 0)
        try read([reading], poller, for: 200_000_000)
        var seen = Set<Int>()
        for epoch in 0..<2050 {
          try ride.withEpoch(epoch) { try run.terminal.write($0) }
          // The reading client keeps up, unless the daemon delays it.
          let next = Clock.now + 2_000_000
          while Clock.now < next || (!seen.contains(epoch) && Clock.now < next + 50_000_000) {
            try poller.wait(until: Clock.now + 1_000_000) { _ in try reading.read { seen.insert($0.epoch) } }
          }
        }
        try read([reading], poller, for: 500_000_000) { seen.insert($0.epoch) }
        var left = Set<Int>()
        let own = try Poller()
        try own.add(stalled.descriptor, tag: 0)
        try read([stalled], own, for: 500_000_000) { left.insert($0.epoch) }
        withExtendedLifetime(run) {}
        let newest = seen.max() ?? 0
        results.append(
          (
            Double(left.count), Double(newest - (left.max() ?? -2050)),
            100 * Double(seen.count { $0 >= 50 && $0 <= newest }) / Double(max(1, newest - 49))
          ))
      }
      stale.add(results[0].left, results[1].left)
      behind.add(results[0].behind, results[1].behind)
      other.add(results[0].delivered, results[1].delivered)
    }
    return [stale, behind, other]
  }

  /// Without receiver and client.
  func idle() throws -> [Figure] {
    var wakeups = Figure("wake-ups a second, no receiver, no client", unit: "", target: .atMost(1))
    guard let resting else { return [] }
    let (runs, since) = try resting.get()
    let calm = since + 33_000_000_000
    if Clock.now < calm { usleep(UInt32((calm - Clock.now) / 1000)) }
    for _ in 0..<3 {
      let before = try runs.map { try Usage(of: $0.child.pid) }
      let begin = Clock.now
      sleep(4)
      let seconds = Double(Clock.now - begin) / 1e9
      let counts = try zip(runs, before).map { Double((try Usage(of: $0.child.pid) - $1).wakeups) / seconds }
      wakeups.add(counts[0], counts[1])
    }
    return [wakeups]
  }

  /// Reads from clients for a while; a client's tag is its index.
  private func read(
    _ clients: [Client], _ poller: Poller, for nanoseconds: Int64, _ body: (Client.Arrival) -> Void = { _ in }
  ) throws {
    let end = Clock.now + nanoseconds
    while Clock.now < end { try poller.wait(until: end) { try clients[$0].read(body) } }
  }
}
