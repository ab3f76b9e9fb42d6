import Testing

@testable import LocationCore

/// The two or three reports of gpsd per epoch yield one fix.
@Suite("gpsd receiver")
struct GPSDReceiverTests {
  private static let day: Int64 = 1_774_000_000

  private func at(_ milliseconds: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
  }

  private func report(
    _ second: Int64?, latitude: Double = 48, mode: FixMode? = .threeD, speed: Double? = nil, device: String = "/dev/a",
    received: Int64
  ) throws -> GPSDPosition {
    let time = second.map { UTCInstant(nanosecondsSince1970: (Self.day + $0) * 1_000_000_000) }
    guard let mode else { return GPSDPosition(device: device, time: time, fix: nil) }
    let position = try #require(Coordinate(latitude: latitude, longitude: 11))
    var fix = Fix(position: position, mode: mode, measured: time, received: at(received))
    fix.speed = speed
    if mode == .threeD { fix.altitudeMSL = 500 }
    return GPSDPosition(device: device, time: time, fix: fix)
  }

  private func fixes(_ epochs: [Epoch]) -> [Fix] {
    epochs.compactMap { if case .fix(let fix, _) = $0.outcome { fix } else { nil } }
  }

  @Test func `Three dimensions without an altitude are two, dilutions alone complete the list`() throws {
    var receiver = GPSDReceiver()
    var epochs: [Epoch] = []
    let satellite = Satellite(prn: 7, used: true)
    for second in 0..<4 as Range<Int64> {
      var position = try report(second, received: second * 1000)
      position.fix?.altitudeMSL = nil
      position.fix?.verticalAccuracy = 9
      var sky = Sky(satellites: second == 0 ? [satellite] : [])
      (sky.hdop, sky.statedUsed) = (Double(second), 9)
      receiver.receive(.sky(device: "/dev/a", sky), at: at(second * 1000)) { epochs.append(copy $0) }
      receiver.receive(.position(position), at: at(second * 1000)) { epochs.append(copy $0) }
    }
    receiver.endOfInput { epochs.append(copy $0) }
    #expect(fixes(epochs).count == 4)
    #expect(fixes(epochs).allSatisfy { $0.mode == .twoD && $0.verticalAccuracy == nil })
    // They belong to the epoch that closes next.
    let skies = epochs.compactMap(\.sky)
    #expect(skies.map(\.hdop) == [1, 2, 3])
    #expect(skies.allSatisfy { $0.satellites == [satellite] && $0.used == 9 })
  }

  @Test func `What another device states before the first position belongs to no epoch`() throws {
    var receiver = GPSDReceiver()
    var epochs: [Epoch] = []
    var noise = PseudorangeNoise()
    noise.rms = 99
    for device in ["/dev/a", "/dev/b"] {
      receiver.receive(.sky(device: device, Sky(satellites: [Satellite(prn: 7)])), at: at(0)) { epochs.append(copy $0) }
      receiver.receive(.noise(device: device, noise), at: at(0)) { epochs.append(copy $0) }
    }
    receiver.receive(.position(try report(0, received: 0)), at: at(0)) { epochs.append(copy $0) }
    receiver.endOfInput { epochs.append(copy $0) }
    #expect(epochs.count == 1 && epochs.allSatisfy { $0.sky == nil && $0.noise == nil })
  }

  @Test func `Reports of one time are merged into one fix`() throws {
    var receiver = GPSDReceiver()
    var epochs: [Epoch] = []
    for second in Int64(0)..<5 {
      let start = second * 1000
      receiver.receive(.position(try report(second, mode: .twoD, speed: 3, received: start)), at: at(start)) {
        epochs.append(copy $0)
      }
      receiver.receive(.position(try report(second, mode: .threeD, received: start + 40)), at: at(start + 40)) {
        epochs.append(copy $0)
      }
    }
    receiver.endOfInput { epochs.append(copy $0) }
    let fixes = fixes(epochs)
    #expect(fixes.count == 5)
    #expect(fixes.allSatisfy { $0.mode == .threeD && $0.speed == 3 })
    #expect(receiver.counters.epochs == 5)
  }

  @Test func `The learned number of reports closes an epoch at once`() throws {
    var receiver = GPSDReceiver()
    var closedAt: [Int64] = []
    for second in Int64(0)..<6 {
      for part in Int64(0)..<3 {
        let now = second * 1000 + part * 30
        receiver.receive(.position(try report(second, received: now)), at: at(now)) { _ in closedAt.append(now) }
      }
    }
    // The first two close on the next one; from then on an epoch closes with its third report.
    #expect(closedAt.suffix(3) == [3060, 4060, 5060])
  }

  @Test func `Before the number is learned, silence closes an epoch`() throws {
    var receiver = GPSDReceiver()
    receiver.receive(.position(try report(0, received: 0)), at: at(0)) { _ in Issue.record("too early") }
    let deadline = try #require(receiver.deadline)
    var epochs: [Epoch] = []
    receiver.expire(at: deadline) { epochs.append(copy $0) }
    #expect(fixes(epochs).count == 1)
    #expect(receiver.deadline == nil)
  }

  @Test func `A late report is not a second fix`() throws {
    var receiver = GPSDReceiver()
    var epochs: [Epoch] = []
    receiver.receive(.position(try report(0, received: 0)), at: at(0)) { epochs.append(copy $0) }
    receiver.expire(at: at(500)) { epochs.append(copy $0) }
    receiver.receive(.position(try report(0, received: 600)), at: at(600)) { epochs.append(copy $0) }
    receiver.receive(.position(try report(1, received: 1000)), at: at(1000)) { epochs.append(copy $0) }
    receiver.endOfInput { epochs.append(copy $0) }
    #expect(fixes(epochs).count == 2)
    #expect(receiver.counters.late == 1)
  }

  @Test func `A pause between reports is learned`() throws {
    var receiver = GPSDReceiver()
    var modes: [FixMode] = []
    // A slow line: the second report comes half a period after the first.
    for second in Int64(0)..<12 {
      let start = second * 1000
      receiver.receive(.position(try report(second, mode: .twoD, received: start)), at: at(start)) { epoch in
        if case .fix(let fix, _) = epoch.outcome { modes.append(fix.mode) }
      }
      for now in [start + 400, start + 500] {
        receiver.expire(at: at(now)) { epoch in if case .fix(let fix, _) = epoch.outcome { modes.append(fix.mode) } }
      }
      receiver.receive(.position(try report(second, mode: .threeD, received: start + 500)), at: at(start + 500)) {
        epoch in
        if case .fix(let fix, _) = epoch.outcome { modes.append(fix.mode) }
      }
    }
    #expect(modes.count == 12)
    #expect(modes.suffix(6).allSatisfy { $0 == .threeD })
  }

  @Test(arguments: [50, 100, 200, 1000] as [Int64])
  func `Reports without a time are epochs of their own at each rate`(period: Int64) throws {
    var receiver = GPSDReceiver()
    var count = 0
    for index in Int64(0)..<100 {
      let now = index * period
      receiver.receive(.position(try report(nil, latitude: 48 + Double(index) * 1e-6, received: now)), at: at(now)) {
        epoch in
        if case .fix = epoch.outcome { count += 1 }
      }
    }
    #expect(count > 90)
  }

  @Test func `Satellites of a device that is not selected are ignored`() throws {
    var receiver = GPSDReceiver()
    var epochs: [Epoch] = []
    receiver.receive(.position(try report(0, received: 0)), at: at(0)) { epochs.append(copy $0) }
    receiver.receive(.sky(device: "/dev/b", Sky()), at: at(0)) { _ in }
    receiver.receive(.noise(device: "/dev/b", PseudorangeNoise()), at: at(0)) { _ in }
    receiver.receive(.position(try report(1, received: 1000)), at: at(1000)) { epochs.append(copy $0) }
    receiver.receive(.sky(device: "/dev/a", Sky()), at: at(0)) { _ in }
    receiver.endOfInput { epochs.append(copy $0) }
    #expect(epochs.map { $0.sky != nil } == [false, true])
    #expect(epochs.allSatisfy { $0.noise == nil })
  }

  @Test(arguments: [true, false])
  func `Satellites and errors are not those of another device or connection`(isConnection: Bool) throws {
    var receiver = GPSDReceiver()
    var epochs: [Epoch] = []
    for second in Int64(0)..<3 {
      receiver.receive(.position(try report(second, received: second * 1000)), at: at(second * 1000)) { _ in }
    }
    var noise = PseudorangeNoise()
    noise.rms = 2
    let sky = Sky(satellites: [Satellite(prn: 7, used: true)])
    receiver.receive(.sky(device: "/dev/a", sky), at: at(2500)) { _ in }
    receiver.receive(.noise(device: "/dev/a", noise), at: at(2500)) { _ in }
    if isConnection { receiver.endOfInput { _ in } }
    let device = isConnection ? "/dev/a" : "/dev/b"
    for second in Int64(10)..<12 {
      let position = try report(second, device: device, received: second * 1000)
      receiver.receive(.position(position), at: at(second * 1000)) { epochs.append(copy $0) }
      var dilutions = Sky()
      dilutions.hdop = 1
      receiver.receive(.sky(device: device, dilutions), at: at(second * 1000)) { _ in }
    }
    receiver.endOfInput { epochs.append(copy $0) }
    #expect(fixes(epochs).count == 2 && epochs.contains { $0.sky?.hdop == 1 })
    #expect(epochs.allSatisfy { $0.noise == nil && $0.sky?.satellites.isEmpty ?? true })
  }

  @Test func `A report without a fix is an epoch without a fix`() throws {
    var receiver = GPSDReceiver()
    var epochs: [Epoch] = []
    receiver.receive(.position(try report(nil, mode: nil, received: 0)), at: at(0)) { epochs.append(copy $0) }
    receiver.endOfInput { epochs.append(copy $0) }
    #expect(epochs.count == 1)
    guard case .noFix(.void)? = epochs.first?.outcome else {
      Issue.record("expected an epoch without a fix")
      return
    }
  }

  @Test func `Time never goes back`() throws {
    var receiver = GPSDReceiver()
    var epochs: [Epoch] = []
    for (index, second) in [Int64(5), 6, 4, 7].enumerated() {
      let now = Int64(index) * 1000
      receiver.receive(.position(try report(second, received: now)), at: at(now)) { epochs.append(copy $0) }
    }
    receiver.endOfInput { epochs.append(copy $0) }
    let times = fixes(epochs).compactMap { $0.measured }
    #expect(times.count == 3)
    #expect(times == times.sorted())
  }

  @Test func `A step back that the end of the input confirms is counted`() throws {
    var receiver = GPSDReceiver()
    var epochs: [Epoch] = []
    for (index, second) in [Int64(5), 6, 7, 1, 2].enumerated() {
      let now = Int64(index) * 1000
      receiver.receive(.position(try report(second, received: now)), at: at(now)) { epochs.append(copy $0) }
    }
    receiver.endOfInput { epochs.append(copy $0) }
    #expect(fixes(epochs).count == 5)
    #expect(receiver.counters.judge.clockSteps == 1)
    #expect(receiver.counters.fixes == 5)
  }

  @Test func `One of two devices is selected until it is silent`() throws {
    var receiver = GPSDReceiver()
    var epochs: [Epoch] = []
    for second in Int64(0)..<4 {
      let now = second * 1000
      receiver.receive(.position(try report(second, latitude: 48, received: now)), at: at(now)) {
        epochs.append(copy $0)
      }
      receiver.receive(
        .position(try report(second, latitude: 49, device: "/dev/b", received: now + 100)), at: at(now + 100)
      ) {
        epochs.append(copy $0)
      }
    }
    #expect(fixes(epochs).allSatisfy { $0.position.latitude == 48 })
    for second in Int64(8)..<12 {
      let now = second * 1000
      receiver.receive(.position(try report(second, latitude: 49, device: "/dev/b", received: now)), at: at(now)) {
        epochs.append(copy $0)
      }
    }
    receiver.endOfInput { epochs.append(copy $0) }
    #expect(fixes(epochs).last?.position.latitude == 49)
  }
}
