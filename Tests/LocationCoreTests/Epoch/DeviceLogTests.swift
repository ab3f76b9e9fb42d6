import Glibc
import LocationCore
import Testing

/// Real logs: exactly one fix for each epoch with a fix, however the bytes arrive.
@Suite(.enabled(if: !DeviceLogs.all.isEmpty, DeviceLogs.reason))
struct DeviceLogTests {
  /// The way in which the bytes of a log arrive.
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

  @Test(arguments: DeviceLogs.all)
  func `Each epoch with a fix yields exactly one`(path: String) throws {
    let name = DeviceLogs.name(path)
    let log = try DeviceLogs.bytes(path)
    let expected = LogOracle.epochs(log)
    // A long ride takes the debug build seconds byte by byte, and has no bytes that the logs lack.
    let arrivals = name.hasSuffix(".nmea") ? [.whole, .parts, .paced] : Arrival.allCases
    for arrival in arrivals { try check(log, name, expected, arrival) }
  }

  private func check(_ log: [UInt8], _ name: String, _ expected: [LogOracle.Epoch], _ arrival: Arrival) throws {
    var rig = ReceiverRig()
    Self.feed(log, expected, arrival, &rig)

    let withFix = expected.filter(\.hasFix)
    let fixes = rig.fixes
    let further = Self.inUBXAlone[name, default: 0]
    try #require(fixes.count == withFix.count + further, "\(arrival)")
    // UBX has its own rounding beside the sentences' 1e-5 minutes.
    let tolerance = further > 0 ? 2e-7 : 1e-7
    for (fix, epoch) in zip(fixes, withFix) {
      let time = try #require(fix.timeOfDay)
      #expect(abs(Double(time.nanoseconds) * 1e-9 - (epoch.time ?? -1)) < 0.011)
      let isOne = epoch.positions.contains {
        abs($0.latitude - fix.position.latitude) < tolerance
          && abs($0.longitude - fix.position.longitude) < tolerance
      }
      #expect(isOne, "\(arrival): \(fix.position)")
    }
    let counters = rig.receiver.counters
    let measured = fixes.compactMap(\.measured)
    let stepsBack = zip(measured, measured.dropFirst()).count { $0 >= $1 }
    #expect(stepsBack == Self.stepsBack[name, default: 0], "\(arrival)")
    #expect(counters.judge.clockSteps == UInt64(stepsBack), "\(arrival)")
    #expect(counters.epochs == UInt64(expected.count + further), "\(arrival)")
    #expect(counters.judge.dropped == 0, "\(arrival)")
    #expect(!rig.outcomes.contains("suspect"), "\(arrival)")
    #expect(counters.fixes == UInt64(fixes.count), "\(arrival)")
  }

  /// The numbers found by an independent decoder (pynmea2) and by a manual count.
  private static let known: [String: (epochs: Int, fixes: Int)] = [
    "april6_2019.log": (3, 2), "beidou-bd.log": (10, 5), "bu353-glonass.log": (19, 9),
    "cat-ms352.log": (40, 40), "com-1289.log": (14, 14), "eXplorist210.log": (4, 4),
    "firefly-II.log": (23, 23), "garmin48.log": (14, 14), "gp-320fw-2019-03-28.log": (21, 21),
    "haicom-305N.log": (74, 68), "holux-gm-210.log": (11, 0),
    "humminbird-M37.log": (33, 33),
    "magellan-ec10.log": (38, 21), "motorola-t805.log": (25, 16), "mr-350p.log": (14, 14),
    "mtk-3301.log": (11, 4), "neo-m8n.log": (24, 24), "nl2008u.log": (9, 9),
    "quectel-L70.log": (16, 16), "quectel-eg25-g.log": (60, 23), "quectel-l76k-nmea.log": (151, 151),
    "quectelLC79D.log": (30, 30), "skytraq.log": (17, 0), "tcp-test.log": (1, 1),
    "ublox-neo-m9n-nmea.log": (61, 61), "ublox8-uniqid-monhw.log": (8, 8),
    "mountainview_city_ublox_f9k_1hz.nmea": (1654, 1654),
    "regensburg_garmin_geko_0.5hz.nmea": (790, 774),
  ]

  /// Epochs at the end of a log that are only in its UBX messages, which the oracle does not read.
  private static let inUBXAlone = ["ublox8-uniqid-monhw.log": 2]

  /// Edited by its sender: nine of its 33 fixes are older than the ones before them.
  private static let stepsBack = ["humminbird-M37.log": 1]

  @Test(arguments: DeviceLogs.all)
  func `The counts are as determined independently`(path: String) throws {
    let known = try #require(Self.known[DeviceLogs.name(path)])
    var rig = ReceiverRig()
    rig.send(try DeviceLogs.bytes(path))
    rig.end()
    #expect(rig.receiver.counters.epochs == known.epochs)
    #expect(rig.fixes.count == known.fixes)
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

/// Logs and drives of real receivers, which are not part of the project: the folders that `LOGS` and `RIDES` name.
enum DeviceLogs {
  static let reason: Comment = "LOGS and RIDES name no folder with receivers' logs"

  /// Paths of all of them; empty without the variables.
  static let all = files("LOGS", ending: ".log") + files("RIDES", ending: ".nmea")

  /// The last component of a path.
  static func name(_ path: String) -> String {
    String(path.split(separator: "/").last ?? "")
  }

  /// The content of a log.
  static func bytes(_ path: String) throws -> [UInt8] {
    let file = try #require(fopen(path, "rb"))
    defer { fclose(file) }
    var all: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&part, 1, part.count, file)
      if count == 0 { return all }
      all += part[..<count]
    }
  }

  private static func files(_ variable: String, ending: String) -> [String] {
    guard let folder = getenv(variable), let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var paths: [String] = []
    while let entry = readdir(directory) {
      let file = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if file.hasSuffix(ending) { paths.append("\(String(cString: folder))/\(file)") }
    }
    return paths.sorted()
  }
}
