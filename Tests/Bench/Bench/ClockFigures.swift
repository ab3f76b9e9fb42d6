import LocationCore

/// How much the samples for the system's clock vary on lines at the speed of receivers, in virtual time.
extension Bench {
  func clockJitter() throws -> [Figure] {
    var profiles = WireProfile.slow + WireProfile.fast
    for speed in [19_200, 38_400, 57_600, 115_200] {
      profiles.append(WireProfile(receiver: "ublox-1hz", speed: speed, rate: 1))
    }
    return try profiles.flatMap { profile in
      let epochs = try simulated(profile, epochs: 100)
      return try LineReads.allCases.map { reads in
        var figure = Figure(
          "clock: \(profile.name), \(reads.rawValue), p95 of the jitter", unit: "ms", target: .atMost(10))
        let (start, end) = try reads.jitter(of: profile, epochs)
        figure.add(start, end)
        figure.remark = "the burst's end"
        return figure
      }
    }
  }
}

/// How the hardware of a line delivers bytes.
private enum LineReads: String, CaseIterable {
  /// A UART whose FIFO is read at 8 bytes.
  case fifo = "UART"
  /// A USB adapter that holds bytes back for up to 16 ms.
  case latencyTimer = "USB adapter"

  /// The 95th percentile of the samples' deviation from their median, and that of the bursts' ends, milliseconds. The
  /// receiver begins up to 4 ms late, the process reads up to 3 ms late.
  func jitter(
    of profile: WireProfile, _ epochs: ArraySlice<WireEpochs.Epoch>
  ) throws -> (start: Double, end: Double) {
    let origin = MonotonicInstant(nanoseconds: 1_000_000_000_000)
    var engine = LocationEngine(sources: [SourceSetup(id: 0, isLive: true)], at: origin)
    engine.setClock(true)
    var events = EngineEvents()
    engine.receive(.lineSpeed(profile.speed), from: 0, at: origin, into: &events)
    var leads: [Double] = []
    var ends: [Double] = []
    var random = SystemRandomNumberGenerator()
    let chunk = self == .fifo ? 8 : max(1, Int(16_000_000 / profile.byteTime))
    for (index, epoch) in epochs.enumerated() {
      let begin =
        origin.nanoseconds + Int64(index) * 1_000_000_000 / Int64(profile.rate)
        + .random(in: 0...4_000_000, using: &random)
      var sent = 0
      while sent < epoch.bytes.count {
        let end = min(sent + chunk, epoch.bytes.count)
        let late = Int64.random(in: 0...3_000_000, using: &random)
        let instant = MonotonicInstant(nanoseconds: begin + Int64(end) * profile.byteTime + late)
        epoch.bytes[sent..<end].withUnsafeBytes { engine.receive(.bytes($0), from: 0, at: instant, into: &events) }
        sent = end
      }
      let due = Int64(index) * 1_000_000_000 / Int64(profile.rate)
      ends.append(Double(begin - origin.nanoseconds - due + Int64(sent) * profile.byteTime) / 1e6)
    }
    for entry in events.list {
      guard case .clock(let sample) = entry.event else { continue }
      leads.append(Double(sample.utc.nanosecondsSince1970 % 86_400_000_000_000 - sample.instant.nanoseconds) / 1e6)
    }
    guard leads.count > epochs.count / 2 else { throw Failure("\(profile.name): only \(leads.count) samples") }
    return (Self.deviation(of: leads), Self.deviation(of: ends))
  }

  private static func deviation(of values: [Double]) -> Double {
    let median = Spread.quantile(0.5, of: values)
    return Spread.quantile(0.95, of: values.map { abs($0 - median) })
  }
}
