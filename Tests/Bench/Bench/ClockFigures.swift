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
        figure.add(try reads.jitter(of: profile, epochs))
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

  /// The 95th percentile of the samples' deviation from their median, milliseconds.
  func jitter(of profile: WireProfile, _ epochs: ArraySlice<WireEpochs.Epoch>) throws -> Double {
    let origin = MonotonicInstant(nanoseconds: 1_000_000_000_000)
    var engine = LocationEngine(sources: [SourceSetup(id: 0, isLive: true)], at: origin)
    engine.setClock(true)
    engine.setLineSpeed(profile.speed, of: 0)
    var events = EngineEvents()
    var leads: [Double] = []
    let chunk = self == .fifo ? 8 : max(1, Int(16_000_000 / profile.byteTime))
    for (index, epoch) in epochs.enumerated() {
      let begin = Int64(index) * 1_000_000_000 / Int64(profile.rate)
      var sent = 0
      while sent < epoch.bytes.count {
        let end = min(sent + chunk, epoch.bytes.count)
        let instant = MonotonicInstant(nanoseconds: origin.nanoseconds + begin + Int64(end) * profile.byteTime)
        epoch.bytes[sent..<end].withUnsafeBytes { engine.receive(.bytes($0), from: 0, at: instant, into: &events) }
        sent = end
      }
    }
    for (event, _) in events.list {
      guard case .clock(let sample) = event else { continue }
      leads.append(Double(sample.utc.nanosecondsSince1970 % 86_400_000_000_000 - sample.instant.nanoseconds) / 1e6)
    }
    guard leads.count > epochs.count / 2 else { throw Failure("\(profile.name): only \(leads.count) samples") }
    let median = Spread.quantile(0.5, of: leads)
    return Spread.quantile(0.95, of: leads.map { abs($0 - median) })
  }
}
