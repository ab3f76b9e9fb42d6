/// What holds as fast as it goes.
extension Bench {
  /// An hour at 10 Hz through a line, then the same hour as a recording.
  func flatOut() throws -> [Figure] {
    var throughput = Figure("flat-out throughput, tty → client", unit: "k sentences/s", target: .ratioAtLeast(5))
    var cpu = Figure("CPU per epoch, flat out", unit: "µs", target: .ratioAtMost(0.5))
    var replay = Figure("replay at max, 36,000 epochs", unit: "s", target: .atMost(0.5), peer: "by tty")
    let hour = RideText(epochs: 36_000)
    let recording = try scratch.write(RideText(epochs: 36_000, asRecording: true).bytes, to: "hour.nmea")
    for _ in 0..<4 {
      let results = try [ours, gpsd, .floor].map { subject in
        try FlatOut(subject, clients: 1, in: scratch).feed(0..<36_000, of: hour)
      }
      let speeds = results.map { 36 * Double(RideText.sentences) / $0.seconds }
      let costs = results.map { Double($0.cpu) / 1000 / 36_000 }
      throughput.add(speeds[0], speeds[1], speeds[2])
      cpu.add(costs[0], costs[1], costs[2])
      replay.add(try replayed(recording, epochs: 36_000), results[1].seconds)
    }
    return [throughput, cpu, replay]
  }

  /// A day at 1 Hz as fast as it goes, and what it left behind.
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

  /// How long a recording takes from the subscription to its last fix, seconds. Every fix must come.
  private func replayed(_ recording: String, epochs: Int) throws -> Double {
    let running = try ours.start(in: scratch, source: "recording:\(recording)?speed=max")
    let poller = try Poller()
    let client = try running.connect()
    try poller.add(client.descriptor, tag: 0)
    let begin = Clock.now
    try client.send(ours.subscription)
    let deadline = begin + 60_000_000_000
    while client.newest?.epoch != epochs - 1 {
      guard Clock.now < deadline else { throw Failure("the replay did not end") }
      try poller.wait(until: deadline) { _ in try client.read { _ in } }
    }
    guard client.fixes == epochs else { throw Failure("\(client.fixes) fixes of \(epochs) came from the replay") }
    return Double(Clock.now - begin) / 1e9
  }
}
