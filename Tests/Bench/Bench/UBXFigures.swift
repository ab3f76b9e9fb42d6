/// UBX beside the NMEA of the same ride, both through the daemon, in one run.
extension Bench {
  func compareWithSentences() throws -> [Figure] {
    var bytes = Figure("bytes per epoch, with the satellites", unit: "")
    var allocated = Figure("heap allocations per epoch, up to the fix", unit: "", target: .exactly(0))
    var parsing = Figure("bytes → epochs → judged fixes, CPU per epoch", unit: "µs", target: .ratioAtMost(1))
    var flatOut = Figure("CPU per epoch, flat out", unit: "µs", target: .ratioAtMost(1))
    var fixes = Figure("fixes published per epoch", unit: "", target: .exactly(1))
    var cpu = Figure("CPU per epoch at 10 Hz, 1 client", unit: "µs", target: .ratioAtMost(1))
    var median = Figure("latency, last byte → client, p50", unit: "ms", target: .ratioAtMost(1.1))
    var tail = Figure("latency, last byte → client, p99", unit: "ms")
    let forms: [RideText.Form] = [.ubx, .nmea]
    let (count, epochs) = (20_000, 36_000)
    let rides = forms.map { RideText(epochs: count, form: $0) }
    let hours = forms.map { RideText(epochs: epochs, form: $0) }
    let sizes = rides.map { Double($0.bytes.count) / Double(count) }
    bytes.add(sizes[0], sizes[1])
    for round in 0..<4 {
      let received = try rides.map { try Self.receive($0) }
      allocated.add(
        received[0].allocations / Double(count - Self.settling), received[1].allocations / Double(count - Self.settling)
      )
      let costs = received.map { $0.seconds * 1e6 / Double(count) }
      parsing.add(costs[0], costs[1])

      // The order alternates: whatever the first run leaves behind affects both.
      let order = round.isMultiple(of: 2) ? [0, 1] : [1, 0]
      var flat = [0.0, 0.0]
      for index in order {
        let result = try FlatOut(ours, clients: 1, in: scratch).feed(0..<epochs, of: hours[index])
        flat[index] = Double(result.cpu) / 1000 / Double(epochs)
      }
      flatOut.add(flat[0], flat[1])

      let results = try SideBySide([ours, ours], clients: 1, in: scratch)
        .measure(epochs: 100, forms: order.map { forms[$0] })
      let (frames, sentences) = (results[order[0]], results[order[1]])
      fixes.add(frames.fixesPerEpoch, sentences.fixesPerEpoch)
      cpu.add(frames.cpuPerEpoch, sentences.cpuPerEpoch)
      median.add(frames.quantile(0.5), sentences.quantile(0.5))
      tail.add(frames.quantile(0.99), sentences.quantile(0.99))
    }
    return [bytes, allocated, parsing, flatOut, fixes, cpu, median, tail] + (try slowLine())
  }

  /// Ten epochs a second on a line of 38,400 bit/s, which all sentences of a receiver do not fit.
  private func slowLine() throws -> [Figure] {
    var load = Figure("load of 38,400 bit/s at 10 Hz", unit: "%", target: .atMost(80))
    var once = Figure("the same: epochs with exactly one fix", unit: "%", target: .exactly(100))
    var age = Figure("the same: epoch → client, p50 of the last 5 of 10 s", unit: "ms", target: .atMost(100))
    let count = 100
    let poller = try Poller()
    let lines = try [WireProfile.ubx, .tooMuch].map {
      try PacedLine(ours, $0, try simulated($0, epochs: count), scratch: scratch)
    }
    for (index, line) in lines.enumerated() { try poller.add(line.client.descriptor, tag: index) }
    try PacedLine.run(lines, poller)
    load.add(lines[0].load, lines[1].load)
    once.add(lines[0].publishedOnce(after: 0), lines[1].publishedOnce(after: 0))
    let ages = lines.map { Spread.quantile(0.5, of: $0.ages(after: count / 2)) }
    age.add(ages[0], ages[1])
    return [load, once, age]
  }
}
