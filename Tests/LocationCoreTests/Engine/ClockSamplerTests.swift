import Testing

@testable import LocationCore

/// A receiver on a line that delivers its bytes in reads, and the samples that an engine takes from it.
private struct ClockRig: ~Copyable {
  /// How the reads of a line are formed.
  enum Adapter: CaseIterable {
    /// A UART with a FIFO that is read at 8 bytes.
    case fifo
    /// A USB adapter that holds bytes back for up to 16 ms.
    case latencyTimer
    /// A loaded machine, on which one read in 30 is up to 30 ms late.
    case loaded
  }

  var engine: LocationEngine
  var events = EngineEvents()
  /// The instant of the epoch 12:35:00, at which the receiver's and this clock agree.
  let origin = MonotonicInstant(nanoseconds: 1_000_000_000_000)
  var random = SplitMix(state: 7)
  let speed: Int
  let adapter: Adapter

  init(speed: Int = 9600, _ adapter: Adapter = .fifo, isLive: Bool = true, rollover: Bool = false) {
    self.speed = speed
    self.adapter = adapter
    engine = LocationEngine(
      sources: [
        SourceSetup(
          id: 3, isLive: isLive, device: "/dev/gps0", configuration: ReceiverConfiguration(snapRollover: rollover))
      ], at: origin)
    engine.setClock(true)
    engine.receive(.lineSpeed(speed), from: 3, at: origin, into: &events)
  }

  /// Sends one epoch that the receiver measured at `second` and began to send `latency` later.
  mutating func send(_ lines: [String], at second: Double, latency: Double = 0.1) {
    send(Array(lines.map(ReceiverRig.line).joined().utf8)[...], at: second, latency: latency)
  }

  /// Sends one epoch as it is.
  mutating func send(_ bytes: ArraySlice<UInt8>, at second: Double, latency: Double = 0.1) {
    let byteTime = 10 / Double(speed)
    var sent = 0
    while sent < bytes.count {
      var count: Int
      var late = 0.0
      switch adapter {
      case .fifo: count = 8
      case .latencyTimer: count = max(1, Int(0.016 / byteTime))
      case .loaded:
        late = random.next() % 30 == 0 ? Double(random.next() % 30) / 1000 : 0
        count = 8 + Int(late / byteTime)
      }
      count = min(count, bytes.count - sent)
      let end = second + latency + Double(sent + count) * byteTime
      // A read at the end of the burst is late with the bytes that it has.
      let isShort = sent + count == bytes.count
      let instant = origin + .nanoseconds(Int64((end + (isShort ? late : 0)) * 1e9))
      bytes.dropFirst(sent).prefix(count).withUnsafeBytes {
        engine.receive(.bytes($0), from: 3, at: instant, into: &events)
      }
      sent += count
    }
  }

  /// Sends RMC, GGA and a varying number of GSV.
  mutating func epoch(
    _ second: Double, latency: Double = 0.1, north: Int = 0, date: String = "190326", status: String = "A",
    satellites: Int = 2, shift: Double = 0
  ) {
    var lines = [
      Sentences.rmc(second + shift, north: north, status: status, date: date),
      Sentences.gga(second + shift, north: north),
    ]
    lines += Array(repeating: "GPGSV,2,1,05,01,40,083,46,02,17,308,41,03,07,344,39,04,22,228,45", count: satellites)
    send(lines, at: second, latency: latency)
    engine.advance(to: origin + .nanoseconds(Int64((second + 0.95) * 1e9)), into: &events)
  }

  /// The samples so far: what the receiver's clock is ahead of this one, seconds.
  var samples: [ClockSample] {
    events.list.compactMap { if case .clock(let sample) = $0.event { sample } else { nil } }
  }

  var leads: [Double] {
    samples.map { sample in
      let utc = Double(sample.utc.nanosecondsSince1970 - 1_773_923_700_000_000_000) * 1e-9
      return utc - sample.instant.seconds(since: origin)
    }
  }
}

/// A reproducible sequence of numbers.
private struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}

@Suite("Clock samples")
struct ClockSamplerTests {
  @Test func `The third epoch that agrees gives the first sample, at the first byte of its burst`() throws {
    var rig = ClockRig()
    for second in 1...3 { rig.epoch(Double(second)) }
    // The first burst has no known start: the daemon may have opened the line within it.
    #expect(rig.samples.isEmpty)
    rig.epoch(4)
    let sample = try #require(rig.samples.first)
    #expect(rig.samples.count == 1)
    #expect(sample.utc == UTCInstant(nanosecondsSince1970: 1_773_923_704_000_000_000))
    #expect(abs(sample.instant.seconds(since: rig.origin) - 4.1) < 1e-6)
    #expect(!sample.isLeapSecond)
  }

  @Test(
    "Samples vary by less than 10 ms with the length of the burst, on every line",
    arguments: [9600, 19_200, 38_400, 57_600, 115_200], ClockRig.Adapter.allCases)
  fileprivate func jitter(speed: Int, adapter: ClockRig.Adapter) throws {
    var rig = ClockRig(speed: speed, adapter)
    for second in 0..<100 { rig.epoch(Double(second), satellites: Int(rig.random.next() % 10)) }
    let errors = rig.leads.map { abs($0 + 0.1) }.sorted()
    #expect(errors.count == 97)
    #expect(errors[errors.count * 95 / 100] < 0.010)
  }

  @Test(
    "On the rhythm of real receivers samples vary by less than 50 ms",
    .enabled(if: !DeviceLogs.all.isEmpty, DeviceLogs.reason),
    arguments: ClockRig.Adapter.allCases)
  fileprivate func rhythmOfDeviceLogs(adapter: ClockRig.Adapter) throws {
    var used = 0
    for path in DeviceLogs.all {
      let log = try DeviceLogs.bytes(path)
      let epochs = LogOracle.epochs(log)
      var seconds = [1.0]
      for (epoch, next) in zip(epochs, epochs.dropFirst()) {
        let step = (next.time ?? 0) - (epoch.time ?? 0)
        seconds.append((seconds.last ?? 0) + (epoch.time != nil && step > 0 ? step : 1))
      }
      let bursts = zip(epochs, epochs.dropFirst()).map { log[$0.start..<$1.start] }
      // As much of the line as leaves a pause between the epochs.
      let longest =
        zip(bursts, zip(seconds, seconds.dropFirst()))
        .map { Double($0.count) / ($1.1 - $1.0) }.max() ?? 0
      guard let speed = [4800, 9600, 19_200, 38_400, 57_600, 115_200].first(where: { longest * 10 < 0.7 * Double($0) })
      else { continue }
      // The weeks of old logs have rolled over since.
      var rig = ClockRig(speed: speed, adapter, rollover: true)
      for (burst, second) in zip(bursts, seconds) { rig.send(burst, at: second) }
      rig.engine.advance(to: rig.origin + .seconds(10_000), into: &rig.events)
      let errors = rig.samples.map { sample in
        let instant = sample.instant.seconds(since: rig.origin)
        return seconds.map { abs($0 + 0.1 - instant) }.min() ?? 1
      }
      guard errors.count >= 5 else { continue }
      used += 1
      #expect(errors.sorted()[errors.count * 95 / 100] < 0.050, "\(path) at \(speed)")
    }
    #expect(used >= 15)
  }

  @Test func `A recording, a void epoch, an epoch without a date and an old date give none`() {
    var recording = ClockRig(isLive: false)
    var void = ClockRig()
    var undated = ClockRig()
    var old = ClockRig()
    for second in 0..<10 {
      recording.epoch(Double(second))
      void.epoch(Double(second), status: "V")
      undated.send([Sentences.gga(Double(second))], at: Double(second))
      old.epoch(Double(second), date: "040806")
    }
    for samples in [recording.samples, void.samples, undated.samples, old.samples] { #expect(samples.isEmpty) }
    var snapped = ClockRig(rollover: true)
    for second in 0..<10 { snapped.epoch(Double(second), date: "040806") }
    #expect(snapped.samples.count == 7)
  }

  @Test(arguments: [0, 1])
  func `After a jump three epochs must agree again`(ofTime: Int) throws {
    var rig = ClockRig()
    for second in 0..<6 { rig.epoch(Double(second)) }
    #expect(rig.samples.count == 3)
    // 5 km to the north, or 60 s ahead.
    for second in 6..<20 {
      rig.epoch(Double(second), north: ofTime == 0 ? 27_000 : 0, shift: ofTime == 1 ? 60 : 0)
    }
    let after = rig.samples.dropFirst(3)
    let next = try #require(after.first)
    #expect(next.instant.seconds(since: rig.origin) > 9)
    #expect(rig.leads.dropFirst(3).allSatisfy { abs($0 + 0.1 - (ofTime == 1 ? 60 : 0)) < 0.001 })
  }

  @Test func `One epoch that the machine read late is left out, and three more pass before the next sample`() {
    var rig = ClockRig()
    for second in 0..<20 { rig.epoch(Double(second), latency: second == 10 ? 0.4 : 0.1) }
    let seconds = rig.samples.map { Int($0.instant.seconds(since: rig.origin)) }
    #expect(seconds == [3, 4, 5, 6, 7, 8, 9, 13, 14, 15, 16, 17, 18, 19])
  }

  @Test func `A line without a pause between epochs gives none`() {
    var rig = ClockRig(speed: 4800)
    // 74 bytes a GSV: 0.15 s each.
    for second in 0..<10 {
      rig.send(
        [Sentences.rmc(Double(second)), Sentences.gga(Double(second))] + Array(repeating: Sentences.gsv[0], count: 6),
        at: Double(second), latency: 0.1)
    }
    #expect(rig.samples.isEmpty)
  }

  @Test func `A leap second is passed on as the number of the second before it, and ends without a break`() {
    var rig = ClockRig()
    func line(_ time: String, _ date: String) -> [String] {
      ["GNRMC,\(time),A,\(Sentences.place()),22.400,084.40,\(date),,,A,V"]
    }
    let epochs =
      (50..<60).map { ("2359\($0).000", "311226") } + [("235960.000", "311226")]
      + (0..<5).map { ("00000\($0).000", "010127") }
    for (second, (time, date)) in epochs.enumerated() { rig.send(line(time, date), at: Double(second)) }
    rig.engine.advance(to: rig.origin + .seconds(20), into: &rig.events)
    let leap = rig.samples.filter(\.isLeapSecond)
    #expect(leap.map(\.utc.nanosecondsOfDay) == [86_399_000_000_000])
    let last = rig.samples.last
    #expect(rig.samples.count == 16 - 3)
    #expect(last?.utc.nanosecondsOfDay == 4_000_000_000)
  }
}
