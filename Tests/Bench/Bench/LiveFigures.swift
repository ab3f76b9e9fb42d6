/// At 10 Hz.
extension Bench {
  /// One client: latency, CPU, wake-ups.
  func oneClient() throws -> [Figure] {
    var fixes = Figure("fixes published per epoch", unit: "", target: .exactly(1))
    var median = Figure("latency, last byte → client, p50", unit: "ms", target: .addedRatioAtMost(0.5))
    var tail = Figure("latency, last byte → client, p99", unit: "ms", target: .addedRatioAtMost(0.5))
    var added = Figure("CPU per epoch at 10 Hz, 1 client", unit: "µs", target: .addedRatioAtMost(0.5))
    var cpu = Figure("the same, floor included", unit: "µs", target: .ratioAtMost(0.7))
    var wakeups = Figure("wake-ups per epoch at 10 Hz", unit: "")
    var perRead = Figure("the same per read, beyond one a second", unit: "", target: .atMost(1))
    for _ in 0..<5 {
      let results = try SideBySide([ours, gpsd, .floor], clients: 1, in: scratch).measure(epochs: 100)
      let (our, peer, floor) = (results[0], results[1], results[2])
      fixes.add(our.fixesPerEpoch, peer.fixesPerEpoch)
      median.add(our.quantile(0.5), peer.quantile(0.5), floor: floor.quantile(0.5))
      tail.add(our.quantile(0.99), peer.quantile(0.99), floor: floor.quantile(0.99))
      added.add(our.cpuPerEpoch, peer.cpuPerEpoch, floor: floor.cpuPerEpoch)
      cpu.add(our.cpuPerEpoch, peer.cpuPerEpoch, floor: floor.cpuPerEpoch)
      wakeups.add(our.wakeupsPerEpoch, peer.wakeupsPerEpoch, floor: floor.wakeupsPerEpoch)
      perRead.add(our.wakeupsPerRead, peer.wakeupsPerRead, floor: floor.wakeupsPerRead)
    }
    return [fixes, median, tail, added, cpu, wakeups, perRead]
  }

  /// One client of the daemon that is itself a client of a gpsd, beside a gpsd alone.
  func behindGPSD() throws -> [Figure] {
    guard case .handlebard(let daemon, _) = ours, case .gpsd(let path) = gpsd else { return [] }
    var fixes = Figure("gpsd source: fixes per epoch", unit: "", target: .exactly(1))
    var median = Figure("gpsd source: latency, last byte → gpsd → client, p50", unit: "ms")
    var tail = Figure("gpsd source: latency, last byte → gpsd → client, p99", unit: "ms")
    var cpu = Figure("gpsd source: CPU per epoch beyond gpsd's, 1 client", unit: "µs")
    var rss = Figure("gpsd source: RSS with libgps, 1 client", unit: "MB")
    var anonymous = Figure("gpsd source: anonymous memory, 1 client", unit: "MB", target: .atMost(2))
    for _ in 0..<3 {
      let results = try SideBySide([.behind(gpsd: path, handlebard: daemon), gpsd], clients: 1, in: scratch)
        .measure(epochs: 100)
      let (our, peer) = (results[0], results[1])
      fixes.add(our.fixesPerEpoch, peer.fixesPerEpoch)
      median.add(our.quantile(0.5), peer.quantile(0.5))
      tail.add(our.quantile(0.99), peer.quantile(0.99))
      cpu.add(our.cpuPerEpoch, peer.cpuPerEpoch)
      rss.add(our.memory.rss / 1024, peer.memory.rss / 1024)
      anonymous.add(our.memory.anonymous / 1024, peer.memory.anonymous / 1024)
    }
    return [fixes, median, tail, cpu, rss, anonymous]
  }

  /// Eight clients: memory.
  func eightClients() throws -> [Figure] {
    var rss = Figure("RSS, 8 clients", unit: "MB", target: .atMost(16))
    var anonymous = Figure("anonymous memory, 8 clients", unit: "MB", target: .atMost(2))
    for _ in 0..<3 {
      let results = try SideBySide([ours, gpsd], clients: 8, in: scratch).measure(epochs: 20)
      rss.add(results[0].memory.rss / 1024, results[1].memory.rss / 1024)
      anonymous.add(results[0].memory.anonymous / 1024, results[1].memory.anonymous / 1024)
    }
    return [rss, anonymous]
  }

  /// As many clients as gpsd accepts, then 500.
  func manyClients() throws -> [Figure] {
    var few = Figure("CPU per delivered fix, 60 clients", unit: "µs")
    var fewTail = Figure("latency, 60 clients, p99", unit: "ms")
    var cpu = Figure("CPU per delivered fix, 500 clients", unit: "µs", target: .atMost(5))
    var median = Figure("latency, 500 clients, p50", unit: "ms")
    var tail = Figure("latency, 500 clients, p99", unit: "ms", target: .atMost(20))
    var delivered = Figure("fixes delivered, 500 clients", unit: "%", target: .exactly(100))
    for _ in 0..<3 {
      let results = try SideBySide([ours, gpsd, .floor], clients: 60, in: scratch).measure(epochs: 30)
      few.add(results[0].cpuPerDelivery, results[1].cpuPerDelivery, floor: results[2].cpuPerDelivery)
      fewTail.add(results[0].quantile(0.99), results[1].quantile(0.99), floor: results[2].quantile(0.99))
    }
    for _ in 0..<3 {
      let results = try SideBySide([ours, .floor], clients: 500, in: scratch).measure(epochs: 50)
      cpu.add(results[0].cpuPerDelivery, floor: results[1].cpuPerDelivery)
      median.add(results[0].quantile(0.5), floor: results[1].quantile(0.5))
      tail.add(results[0].quantile(0.99), floor: results[1].quantile(0.99))
      delivered.add(results[0].delivered, floor: results[1].delivered)
    }
    return [few, fewTail, cpu, median, tail, delivered]
  }
}

/// Poses.
extension Bench {
  /// Poses at 60 Hz between the fixes, beside the same without poses.
  func poses() throws -> [Figure] {
    guard case .handlebard(let path, _) = ours else { return [] }
    var figures: [Figure] = []
    for clients in [1, 20] {
      var figure = Figure("CPU per delivered pose, \(clients) at 60 Hz", unit: "µs")
      for _ in 0..<3 {
        let results = try SideBySide([.handlebard(path, poses: 60), ours], clients: clients, in: scratch)
          .measure(epochs: 50)
        figure.add((results[0].cpuPerEpoch - results[1].cpuPerEpoch) / Double(60 / RideText.rate * clients))
      }
      figures.append(figure)
    }
    return figures
  }
}

/// Two builds of the daemon in one run.
extension Bench {
  func compareWithBaseline() throws -> [Figure] {
    guard let baseline else { throw Failure("name the other build: --baseline FOLDER") }
    var throughput = Figure("flat-out throughput, tty → client", unit: "k sentences/s")
    var flatOutCPU = Figure("CPU per epoch, flat out", unit: "µs", showsAdded: true)
    var cpu = Figure("CPU per epoch at 10 Hz, 1 client", unit: "µs", showsAdded: true)
    var median = Figure("latency, last byte → client, p50", unit: "ms", showsAdded: true)
    var tail = Figure("latency, last byte → client, p99", unit: "ms", showsAdded: true)
    let epochs = 36_000
    let hour = RideText(epochs: epochs)
    for round in 0..<6 {
      // The order alternates: whatever the first run leaves behind affects both.
      let order = round.isMultiple(of: 2) ? [0, 1, 2] : [1, 0, 2]
      let subjects = [ours, baseline, .floor]
      var flatOut = [FlatOut.Result](repeating: FlatOut.Result(seconds: 0, cpu: 0), count: 3)
      for index in order {
        flatOut[index] = try FlatOut(subjects[index], clients: 1, in: scratch).feed(0..<epochs, of: hour)
      }
      let speeds = flatOut.map { Double(epochs * RideText.sentences) / 1000 / $0.seconds }
      let costs = flatOut.map { Double($0.cpu) / 1000 / Double(epochs) }
      throughput.add(speeds[0], speeds[1], floor: speeds[2])
      flatOutCPU.add(costs[0], costs[1], floor: costs[2])

      let live = try SideBySide(order.map { subjects[$0] }, clients: 1, in: scratch).measure(epochs: 100)
      let (after, before, floor) = (live[order[0]], live[order[1]], live[2])
      cpu.add(after.cpuPerEpoch, before.cpuPerEpoch, floor: floor.cpuPerEpoch)
      median.add(after.quantile(0.5), before.quantile(0.5), floor: floor.quantile(0.5))
      tail.add(after.quantile(0.99), before.quantile(0.99), floor: floor.quantile(0.99))
    }
    return [throughput, flatOutCPU, cpu, median, tail]
  }
}

/// The daemon while it records, with and without a forwarder that sends its ride.
extension Bench {
  func compareWithForwarder() throws -> [Figure] {
    var cpu = Figure("recording: CPU per epoch at 10 Hz, 1 client", unit: "µs")
    var median = Figure("recording: latency, last byte → client, p50", unit: "ms")
    var tail = Figure("recording: latency, last byte → client, p99", unit: "ms")
    let daemon = "\(folder)/handlebard"
    for round in 0..<6 {
      var results: [SideBySide.Result?] = [nil, nil]
      // The order alternates: whatever the first run leaves behind affects both.
      for index in round.isMultiple(of: 2) ? [0, 1] : [1, 0] {
        let run = try SideBySide(
          [.recording(daemon, forwarder: index == 0 ? "\(folder)/handlebarctl" : nil)], clients: 1, in: scratch)
        results[index] = try run.measure(epochs: 200).first
        guard try index == 1 || run.isForwarding else { throw Failure("nothing was acknowledged") }
      }
      guard let with = results[0], let without = results[1] else { continue }
      cpu.add(with.cpuPerEpoch, without.cpuPerEpoch)
      median.add(with.quantile(0.5), without.quantile(0.5))
      tail.add(with.quantile(0.99), without.quantile(0.99))
    }
    return [cpu, median, tail]
  }
}
