import Glibc

/// From the last byte that a fix needs to the fix, on lines at the speed of receivers.
extension Bench {
  /// Epochs before anything is measured.
  private static let learning = 5

  func wire() throws -> [Figure] {
    var once = Figure("wire: epochs with exactly one fix", unit: "%", target: .exactly(100))
    let figures = try wire(WireProfile.slow, epochs: 35, &once) + wire(WireProfile.fast, epochs: 105, &once)
    return figures + [once]
  }

  /// Profiles side by side, each subject on a terminal of its own.
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
    try PacedLine.run(lines, poller)
    var figures: [Figure] = []
    for (index, profile) in profiles.enumerated() {
      let (our, peer) = (
        lines[2 * index].latencies(after: Self.learning), lines[2 * index + 1].latencies(after: Self.learning)
      )
      once.add(
        lines[2 * index].publishedOnce(after: Self.learning), lines[2 * index + 1].publishedOnce(after: Self.learning))
      for (word, quantile, bound) in [("p50", 0.5, 1.0), ("p99", 0.99, 10)] {
        var figure = Figure("wire: \(profile.name), \(word)", unit: "ms", target: .atMost(bound))
        figure.add(
          Spread.quantile(quantile, of: our), peer.isEmpty ? nil : Spread.quantile(quantile, of: peer))
        figures.append(figure)
      }
      histograms.append(Histogram(name: profile.name, ours: our, peers: peer))
    }
    return figures
  }

  /// The output of a simulated receiver on a ride.
  func simulated(_ profile: WireProfile, epochs count: Int) throws -> ArraySlice<WireEpochs.Epoch> {
    let file = scratch.file("wire.nmea")
    unlink(file)
    _ = try Child(
      [
        "\(folder)/handlebarctl", "simulate", "--ride", "tour", "--receiver", profile.receiver, "--length", "3000",
        "-o", file,
      ],
      log: "/dev/null"
    ).finish()
    let epochs = try WireEpochs(recording: try Scratch.bytes(of: file), of: profile).epochs
    guard epochs.count > count else { throw Failure("\(profile.name): only \(epochs.count) epochs") }
    return epochs.prefix(count)
  }
}

/// A receiver of the simulator on a line of its usual speed.
struct WireProfile {
  /// The simulator's name for it.
  let receiver: String
  /// Line speed, bit/s.
  let speed: Int
  /// Epochs a second.
  let rate: Int
  /// The types of its sentences; `nil` for all.
  var only: Set<String>?

  var name: String { "\(receiver) at \(speed)" + (only == nil ? "" : ", RMC GGA GSA") }

  /// Nanoseconds per byte: eight bits, a start bit and a stop bit.
  var byteTime: Int64 { 10_000_000_000 / Int64(speed) }

  /// Bytes that arrive together: the hardware of a fast line delivers once a millisecond.
  var chunk: Int { max(1, speed / 10_000) }

  static let slow = [
    WireProfile(receiver: "ublox-1hz", speed: 9600, rate: 1), WireProfile(receiver: "mtk", speed: 9600, rate: 1),
    WireProfile(receiver: "sirf", speed: 4800, rate: 1), WireProfile(receiver: "garmin", speed: 4800, rate: 1),
  ]

  /// Ten epochs a second fit 38,400 bit/s only without the satellites in view.
  static let fast = [
    WireProfile(receiver: "ublox-5hz", speed: 115_200, rate: 5),
    WireProfile(receiver: "ublox-10hz", speed: 115_200, rate: 10),
    WireProfile(receiver: "ublox-10hz", speed: 38_400, rate: 10, only: ["RMC", "GGA", "GSA"]), .ubx,
  ]

  static let ubx = WireProfile(receiver: "ublox-ubx-10hz", speed: 38_400, rate: 10)
  /// Does not fit.
  static let tooMuch = WireProfile(receiver: "ublox-10hz", speed: 38_400, rate: 10)
}
