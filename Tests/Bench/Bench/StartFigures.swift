import Glibc

/// At the start, and on disk.
extension Bench {
  func start() throws -> [Figure] {
    var ready = Figure("start: exec → accepts clients", unit: "ms", target: .ratioAtMost(4))
    var first = Figure("first epoch's last byte → first fix", unit: "ms", target: .ratioAtMost(0.3))
    for _ in 0..<8 {
      let (our, peer) = (try started(ours), try started(gpsd))
      ready.add(our.ready, peer.ready)
      first.add(our.first, peer.first)
    }
    return [ready, first]
  }

  /// Milliseconds until clients are accepted, and from the first epoch to the first fix.
  private func started(_ subject: Subject) throws -> (ready: Double, first: Double) {
    let running = try subject.start(in: scratch)
    let client = try running.subscribe()
    let poller = try Poller()
    try poller.add(client.descriptor, tag: 0)
    // The terminal must be open and the subscription accepted before the first byte.
    let settled = Clock.now + 100_000_000
    while Clock.now < settled { try poller.wait(until: settled) { _ in try client.read { _ in } } }
    let ride = RideText(epochs: 30)
    let begin = Clock.now
    for epoch in 0..<30 {
      try ride.withEpoch(epoch) { try running.terminal.write($0) }
      let next = begin + Int64(epoch + 1) * 100_000_000
      while Clock.now < next {
        try poller.wait(until: next) { _ in try client.read { _ in } }
        if let fix = client.newest { return (Double(running.startTime) / 1e6, Double(fix.at - begin) / 1e6) }
      }
    }
    throw Failure("\(subject) published no fix within 3 s")
  }
}

extension Bench {
  /// The size of the programs, with the Swift runtime.
  func sizes() throws -> [Figure] {
    try ["handlebard", "handlebarctl"].map { name in
      var size = Figure("size of \(name), stripped, with the runtime", unit: "MB")
      var status = stat()
      guard stat("\(folder)/\(name)", &status) == 0 else { throw Failure("\(folder)/\(name)") }
      size.add(Double(status.st_size) / 1e6)
      return size
    }
  }
}
