import Glibc

/// How long after the last byte that it needs a fix is there, on lines as slow as receivers have them.
extension Bench {
  /// Epochs before anything is measured.
  private static let learning = 5

  func wire() throws -> [Figure] {
    var once = Figure("wire: epochs with exactly one fix", unit: "%", target: .exactly(100))
    let figures = try wire(WireProfile.slow, epochs: 35, &once) + wire(WireProfile.fast, epochs: 105, &once)
    return figures + [once]
  }

  /// Profiles side by side, each subject on a line of its own.
  private func wire(_ profiles: [WireProfile], epochs count: Int, _ once: inout Figure) throws -> [Figure] {
    let poller = try Poller()
    var lines: [PacedLine] = []
    for profile in profiles {
      let epochs = try simulated(profile, epochs: count)
      for subject in [ours, gpsd] {
        let line = try PacedLine(subject, profile, epochs, scratch: scratch)
        try poller.add(line.client.descriptor, tag: lines.count)
        lines.append(line)
      }
    }
    let begin = Clock.now + 300_000_000
    for (index, line) in lines.enumerated() {
      // What two lines bring at the same time waits for each other here.
      line.begin = begin + Int64(index) * 31_000_000
    }
    while let line = lines.filter({ $0.due != nil }).min(by: { ($0.due ?? 0) < ($1.due ?? 0) }), let due = line.due {
      repeat { try poller.wait(until: due) { try lines[$0].read() } } while Clock.now < due
      try line.write()
    }
    let end = Clock.now + 1_500_000_000
    while Clock.now < end { try poller.wait(until: end) { try lines[$0].read() } }

    var figures: [Figure] = []
    for (index, profile) in profiles.enumerated() {
      let (our, their) = (
        lines[2 * index].latencies(after: Self.learning), lines[2 * index + 1].latencies(after: Self.learning)
      )
      once.add(
        lines[2 * index].toldOnce(after: Self.learning), lines[2 * index + 1].toldOnce(after: Self.learning))
      for (word, quantile, bound) in [("p50", 0.5, 1.0), ("p99", 0.99, 10)] {
        var figure = Figure("wire: \(profile.name), \(word)", unit: "ms", target: .atMost(bound))
        figure.add(
          Spread.quantile(quantile, of: our), their.isEmpty ? nil : Spread.quantile(quantile, of: their))
        figures.append(figure)
      }
      histograms.append(Histogram(name: profile.name, ours: our, theirs: their))
    }
    return figures
  }

  /// What the simulator's receiver sends on a ride.
  private func simulated(_ profile: WireProfile, epochs count: Int) throws -> ArraySlice<WireEpochs.Epoch> {
    let file = scratch.file("wire.nmea")
    unlink(file)
    _ = try Child(
      [
        "\(folder)/handlebarctl", "simulate", "--ride", "tour", "--receiver", profile.receiver, "--length", "3000",
        "-o", file,
      ],
      log: "/dev/null"
    ).finish()
    guard let stream = fopen(file, "re") else { throw Failure(file) }
    defer { fclose(stream) }
    var bytes = [UInt8](repeating: 0, count: 8_000_000)
    bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, stream))
    let epochs = try WireEpochs(recording: bytes, of: profile).epochs
    guard epochs.count > count else { throw Failure("\(profile.name): only \(epochs.count) epochs") }
    return epochs.prefix(count)
  }
}
