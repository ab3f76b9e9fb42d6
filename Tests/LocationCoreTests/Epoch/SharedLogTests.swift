import LocationCore
import Testing

/// Real logs: one fix for each epoch that has one, none else, however the bytes arrive.
@Suite(.enabled(if: SharedLogs.folder != nil, "there is no folder `shared` with receiver logs beside the checkout"))
struct SharedLogTests {
  /// How the bytes of a log arrive.
  enum Arrival: CaseIterable {
    /// All at once.
    case whole
    /// One by one, at one instant.
    case bytes
    /// In parts of 1 to 300 bytes, up to 20 ms apart.
    case parts
    /// Each epoch in one burst at its own time.
    case paced
    /// Each epoch at its own time, byte by byte at 4800 baud where its second allows for that.
    case slow
  }

  @Test(arguments: SharedLogs.all, Arrival.allCases)
  func oneFixForEachEpochThatHasOne(_ name: String, _ arrival: Arrival) throws {
    let log = SharedLogs.bytes(name)
    let expected = LogOracle.epochs(log)
    var rig = ReceiverRig()
    Self.feed(log, expected, arrival, &rig)

    let withFix = Self.ordered(expected.filter(\.hasFix))
    let fixes = rig.fixes
    try #require(fixes.count == withFix.count)
    for (fix, epoch) in zip(fixes, withFix) {
      let time = try #require(fix.timeOfDay)
      #expect(abs(Double(time.nanoseconds) * 1e-9 - (epoch.time ?? -1)) < 0.011)
      let isOne = epoch.positions.contains {
        abs($0.latitude - fix.position.latitude) < 1e-7 && abs($0.longitude - fix.position.longitude) < 1e-7
      }
      #expect(isOne, "\(fix.position)")
    }
    let measured = fixes.compactMap(\.measured)
    #expect(zip(measured, measured.dropFirst()).allSatisfy { $0 < $1 })

    let counters = rig.receiver.counters
    #expect(counters.epochs == UInt64(expected.count))
    #expect(counters.judge.held == 0)
    #expect(counters.fixes == UInt64(fixes.count))
  }

  /// Drops the fixes whose time went back.
  private static func ordered(_ epochs: [LogOracle.Epoch]) -> [LogOracle.Epoch] {
    var last: Double?
    return epochs.filter { epoch in
      guard let time = epoch.time else { return true }
      if let last, time < last, last - time < 43_200 { return false }
      last = time
      return true
    }
  }

  private static func feed(
    _ log: [UInt8], _ epochs: [LogOracle.Epoch], _ arrival: Arrival, _ rig: inout ReceiverRig
  ) {
    log.withUnsafeBytes { bytes in
      switch arrival {
      case .whole: rig.send(bytes)
      case .bytes: for index in bytes.indices { rig.send(UnsafeRawBufferPointer(rebasing: bytes[index...index])) }
      case .parts:
        var random = UInt64(log.count)
        var start = 0
        while start < bytes.count {
          random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          let end = min(start + 1 + Int(random >> 33 % 300), bytes.count)
          rig.send(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
          rig.wait(.milliseconds(Int64(random >> 48 % 21)))
          start = end
        }
      case .paced, .slow:
        pace(bytes, epochs, byBytes: arrival == .slow, &rig)
      }
    }
    rig.wait(.seconds(2))
    rig.end()
  }

  private static func pace(
    _ bytes: UnsafeRawBufferPointer, _ epochs: [LogOracle.Epoch], byBytes: Bool, _ rig: inout ReceiverRig
  ) {
    var start = 0
    var time: Double?
    var due = rig.now
    for index in epochs.indices {
      var step = 1.0
      if let last = time, let now = epochs[index].time, now > last { step = now - last }
      time = epochs[index].time ?? time
      due = due + .milliseconds(Int64(step * 1000))
      rig.wait(max(.zero, due - rig.now))
      let end = index + 1 < epochs.count ? epochs[index + 1].start : bytes.count
      let part = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      start = end
      guard byBytes, part.count < 400 else {
        rig.send(part)
        continue
      }
      for offset in part.indices {
        rig.send(UnsafeRawBufferPointer(rebasing: part[offset...offset]))
        rig.wait(.microseconds(2083))
      }
    }
  }
}
