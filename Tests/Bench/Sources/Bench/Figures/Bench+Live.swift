/// What holds at 10 Hz.
extension Bench {
  /// One client: latency, CPU, wake-ups.
  func oneClient() throws -> [Figure] {
    var fixes = Figure("fixes published per epoch", unit: "", target: .exactly(1))
    var median = Figure("latency, last byte → client, p50", unit: "ms", target: .ratioAtMost(0.5))
    var tail = Figure("latency, last byte → client, p99", unit: "ms", target: .ratioAtMost(0.5))
    var cpu = Figure("CPU per epoch at 10 Hz, 1 client", unit: "µs", target: .ratioAtMost(0.5))
    var wakeups = Figure("wake-ups per epoch at 10 Hz", unit: "")
    var perRead = Figure("the same: per read, beyond one a second", unit: "", target: .atMost(1))
    for _ in 0..<5 {
      let results = try SideBySide([ours, gpsd, .floor], clients: 1, in: scratch).measure(epochs: 100)
      let (our, their, floor) = (results[0], results[1], results[2])
      fixes.add(our.fixesPerEpoch, their.fixesPerEpoch)
      median.add(our.quantile(0.5), their.quantile(0.5), floor.quantile(0.5))
      tail.add(our.quantile(0.99), their.quantile(0.99), floor.quantile(0.99))
      cpu.add(our.cpuPerEpoch, their.cpuPerEpoch, floor.cpuPerEpoch)
      wakeups.add(our.wakeupsPerEpoch, their.wakeupsPerEpoch, floor.wakeupsPerEpoch)
      perRead.add(our.wakeupsPerRead, their.wakeupsPerRead, floor.wakeupsPerRead)
    }
    return [fixes, median, tail, cpu, wakeups, perRead]
  }

  /// One client of the daemon that is itself a client of a gpsd, beside a gpsd alone.
  func behindGPSD() throws -> [Figure] {
    guard case .handlebard(let daemon) = ours, case .gpsd(let path) = gpsd else { return [] }
    var fixes = Figure("gpsd source: fixes per epoch", unit: "", target: .exactly(1))
    var median = Figure("gpsd source: latency, last byte → gpsd → client, p50", unit: "ms")
    var tail = Figure("gpsd source: latency, last byte → gpsd → client, p99", unit: "ms")
    var cpu = Figure("gpsd source: CPU per epoch on top of gpsd's, 1 client", unit: "µs")
    var rss = Figure("gpsd source: RSS with libgps, 1 client", unit: "MB")
    var anonymous = Figure("gpsd source: anonymous memory, 1 client", unit: "MB", target: .atMost(2))
    for _ in 0..<3 {
      let results = try SideBySide([.behind(gpsd: path, handlebard: daemon), gpsd], clients: 1, in: scratch)
        .measure(epochs: 100)
      let (our, their) = (results[0], results[1])
      fixes.add(our.fixesPerEpoch, their.fixesPerEpoch)
      median.add(our.quantile(0.5), their.quantile(0.5))
      tail.add(our.quantile(0.99), their.quantile(0.99))
      cpu.add(our.cpuPerEpoch, their.cpuPerEpoch)
      rss.add(our.memory.rss / 1024, their.memory.rss / 1024)
      anonymous.add(our.memory.anonymous / 1024, their.memory.anonymous / 1024)
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

  /// As many clients as gpsd takes, then 500.
  func manyClients() throws -> [Figure] {
    var few = Figure("CPU per delivered fix, 60 clients", unit: "µs")
    var fewTail = Figure("latency, 60 clients, p99", unit: "ms")
    var cpu = Figure("CPU per delivered fix, 500 clients", unit: "µs", target: .atMost(5))
    var median = Figure("latency, 500 clients, p50", unit: "ms")
    var tail = Figure("latency, 500 clients, p99", unit: "ms", target: .atMost(20))
    var delivered = Figure("fixes delivered, 500 clients", unit: "%", target: .exactly(100))
    for _ in 0..<3 {
      let results = try SideBySide([ours, gpsd, .floor], clients: 60, in: scratch).measure(epochs: 30)
      few.add(results[0].cpuPerDelivery, results[1].cpuPerDelivery, results[2].cpuPerDelivery)
      fewTail.add(results[0].quantile(0.99), results[1].quantile(0.99), results[2].quantile(0.99))
    }
    for _ in 0..<3 {
      let results = try SideBySide([ours, .floor], clients: 500, in: scratch).measure(epochs: 50)
      cpu.add(results[0].cpuPerDelivery, nil, results[1].cpuPerDelivery)
      median.add(results[0].quantile(0.5), nil, results[1].quantile(0.5))
      tail.add(results[0].quantile(0.99), nil, results[1].quantile(0.99))
      delivered.add(results[0].delivered, nil, results[1].delivered)
    }
    return [few, fewTail, cpu, median, tail, delivered]
  }
}

extension SideBySide.Result {
  /// The latency that the share `q` of all deliveries does not exceed, milliseconds.
  func quantile(_ q: Double) -> Double { Spread.quantile(q, of: latencies) }
}
