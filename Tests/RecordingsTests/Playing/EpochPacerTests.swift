import LocationCore
import Testing

@testable import Recordings

struct EpochPacerTests {
  /// The ways between the epochs of a log in seconds, and the lines of each.
  private func paced(_ lines: [String]) -> [(advance: Double, lines: String)] {
    bursts(lines).map { ($0.advance.inSeconds, String(decoding: $0.bytes, as: UTF8.self)) }
  }

  private func bursts(_ lines: [String]) -> [EpochPacer.Burst] {
    var pacer = EpochPacer()
    var bursts: [EpochPacer.Burst] = []
    for line in lines {
      if let burst = pacer.add(Array((line + "\r\n").utf8)) { bursts.append(burst) }
    }
    if let burst = pacer.flush() { bursts.append(burst) }
    #expect(bursts.flatMap(\.bytes) == lines.flatMap { Array(($0 + "\r\n").utf8) })
    return bursts
  }

  private func advances(_ lines: [String]) -> [Double] { paced(lines).map(\.advance) }

  private static func gga(_ time: String) -> String {
    "$GPGGA,\(time),4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,"
  }
  private static func rmc(_ time: String) -> String { "$GPRMC,\(time),A,4807.038,N,01131.000,E,022.4,084.4,190326,,," }
  private static let gsv = "$GPGSV,1,1,01,08,56,248,28"

  @Test func `An epoch has one time and the following sentences without one`() {
    let lines = [Self.gsv, Self.gga("120000"), Self.rmc("120000"), Self.gsv, Self.gga("120001"), Self.rmc("120001")]
    let bursts = paced(lines)
    #expect(bursts.map(\.advance) == [0, 1])
    #expect(bursts[0].lines == lines[..<4].map { $0 + "\r\n" }.joined())
  }

  @Test func `What begins a log in the middle of an epoch begins no later one`() {
    let error = "$PGRME,15.0,M,45.0,M,25.0,M"
    let lines = [
      error, Self.gsv, Self.rmc("120000"), Self.gga("120000"), error, Self.rmc("120001"), Self.gga("120001"), error,
    ]
    let bursts = paced(lines)
    #expect(bursts.map(\.advance) == [0, 1])
    #expect(bursts[0].lines == lines[..<5].map { $0 + "\r\n" }.joined())
  }

  @Test(
    arguments: [
      ("120000.00", "120000.10", 0.1), ("120000", "120059", 59), ("120000", "120100", 60), ("120000", "120101", 1),
      ("235959.5", "000000.0", 0.5), ("235959", "000059", 60), ("120005", "120000", 1), ("000010", "235950", 1),
      ("000000", "120000", 1),
    ]
  )
  func `An interval is the difference of times, or 1 s if that is implausible`(from: String, to: String, way: Double) {
    #expect(advances([Self.gga(from), Self.gga(to)]) == [0, way])
  }

  private static func nav(_ id: UInt8, _ weekTime: Int, second: UInt8? = nil) -> [UInt8] {
    var payload = ReceiverCommand.littleEndian(weekTime, 4) + [UInt8](repeating: 0, count: id == 0x07 ? 88 : 14)
    if let second { (payload[8], payload[10], payload[11]) = (12, second, 7) }
    return ReceiverCommand.ubx(0x01, id, payload)
  }

  @Test func `UBX is timed by the time of the week, and beside sentences as UTC`() {
    // Thursday, 19 March 2026, 12:00:00 UTC is 4 days, 12 h and 18 s into the GPS week.
    let noon = ((4 * 24 + 12) * 3600 + 18) * 1000
    func advances(_ parts: [[UInt8]]) -> [Double] {
      var pacer = EpochPacer()
      var bursts = parts.compactMap { pacer.add($0) }
      if let last = pacer.flush() { bursts.append(last) }
      #expect(bursts.flatMap(\.bytes) == Array(parts.joined()))
      #expect(bursts.allSatisfy { !$0.isAfterGap })
      return bursts.map(\.advance.inSeconds)
    }
    let old = (0..<4).flatMap { [Self.nav(0x06, noon + 250 * $0), Self.nav(0x12, noon + 250 * $0)] }
    #expect(advances(old) == [0, 0.25, 0.25, 0.25])
    let mixed = (0..<4).flatMap { second in
      [
        Self.nav(0x07, noon + 1000 * second, second: UInt8(second)), Array((Self.rmc("12000\(second)") + "\r\n").utf8),
        Self.nav(0x61, noon + 1000 * second),
      ]
    }
    #expect(advances(mixed) == [0, 1, 1, 1])
    // Before 2017 GPS time was less ahead of UTC; NAV-PVT says so.
    let earlier = (0..<3).flatMap { second in
      [
        Self.nav(0x07, noon - 1000 + 1000 * second, second: UInt8(second)),
        Array((Self.rmc("12000\(second)") + "\r\n").utf8),
      ]
    }
    #expect(advances(earlier) == [0, 1, 1])
    // An older message precedes the first NAV-PVT of such a log.
    let both = (0..<3).flatMap { second in
      [Self.nav(0x06, noon - 2000 + 1000 * second), Self.nav(0x07, noon - 2000 + 1000 * second, second: UInt8(second))]
    }
    #expect(advances(both) == [0, 1, 1])
  }

  @Test func `Intervals that are long, back or unknown are gaps`() {
    let times = ["120000", "120001", "120101", "120202", "120100", "120101"]
    #expect(bursts(times.map(Self.gga)).map(\.isAfterGap) == [false, false, false, true, true, false])
    let void = "$GPRMC,,V,,,,,,,,,,N"
    let lines = [void, void, Self.rmc("120000"), Self.rmc("120001"), void, void, Self.rmc("120030")]
    #expect(bursts(lines).map(\.isAfterGap) == [false, false, true, false, false, true])
  }

  @Test func `A late sentence does not begin an epoch`() {
    let gll = { (time: String) in "$GPGLL,4807.038,N,01131.000,E,\(time),A" }
    let lines = [
      Self.rmc("120000"), gll("115959"), Self.rmc("120001"), gll("120000"), Self.rmc("120002"), gll("120001"),
    ]
    #expect(advances(lines) == [0, 1, 1])
  }

  @Test func `A clock that steps back goes on from there`() {
    for step in 1...3 {
      let times = [0, 1, 2] + (0..<4).map { 3 - step + $0 }
      let lines = times.flatMap { [Self.rmc("12000\($0)"), Self.gga("12000\($0)")] }
      // After a step of 1 s, what has the same time is taken for the same epoch.
      #expect(advances(lines) == [0] + [Double](repeating: 1, count: step == 1 ? 5 : 6), "\(step)")
    }
  }

  @Test func `A second receiver that is a second late does not make time longer`() {
    let lines = (2..<7).flatMap { [Self.rmc("12000\($0)"), Self.gga("12000\($0)"), Self.rmc("12000\($0 - 1)")] }
    let bursts = bursts(lines)
    #expect(bursts.reduce(0) { $0 + $1.advance.inSeconds } == 4)
    #expect(bursts.allSatisfy { !$0.isAfterGap })
  }

  @Test func `A time without decimals is that of the epoch with them`() {
    for isFirst in [true, false] {
      let lines = (0..<4).flatMap { second in
        let pair = [Self.gga("12000\(second)"), Self.rmc("12000\(second).80")]
        return isFirst ? pair : pair.reversed()
      }
      #expect(advances(lines) == [0, 1, 1, 1])
    }
    // Also where the first burst is cut off: five a second are five.
    let rest = ["120000.000", "120000.200", "120000.400"].flatMap { time in
      [Self.gga(time), Self.rmc(time)]
    }
    #expect(advances(Array(rest.dropFirst())) == [0, 0.2, 0.2])
    // With decimals that are zero, it is so after the first.
    let zeros = (0..<4).flatMap { [Self.gga("12000\($0).00"), Self.rmc("12000\($0).80")] }
    #expect(advances(zeros) == [0, 0.8, 0.2, 1, 1])
    let times = ["120000.00", "120000.20", "120000.40", "120000.60", "120000.80", "120001.00"]
    #expect(advances(times.flatMap { [Self.rmc($0), Self.gga($0)] }) == [0, 0.2, 0.2, 0.2, 0.2, 0.2])
  }

  @Test func `What begins the log without a time begins each epoch`() {
    let vtg = "$GPVTG,90.0,T,,M,10.0,N,18.5,K,A"
    let lines = (0..<4).flatMap { [vtg, Self.gga("12000\($0)"), Self.gsv] }
    #expect(paced(lines).map(\.lines) == (0..<4).map { "\(vtg)\r\n\(Self.gga("12000\($0)"))\r\n\(Self.gsv)\r\n" })
    // It is lost once.
    #expect(paced(Array(lines[..<3]) + Array(lines[4...])).map(\.advance) == [0, 1, 1, 1])
    // Behind the time it belongs to what precedes it.
    let usual = (0..<4).flatMap { [Self.gga("12000\($0)"), vtg] }
    #expect(paced(usual).allSatisfy { $0.lines.hasSuffix("\(vtg)\r\n") })
  }

  @Test func `A receiver without time has an epoch a second`() {
    let lines = ["$GPRMC,,V,,,,,,,,,,N", "$GPGGA,,,,,,0,00,99.99,,,,,,", "$GPGLL,,,,,,V"]
    #expect(advances(lines + lines + lines + [Self.rmc("120000"), Self.gga("120000")]) == [0, 1, 1, 1])
  }

  @Test func `A void sentence without its time does not split a timed epoch`() {
    let epoch = { (time: String) in ["$GPRMC,\(time),V,,,,,,,190326,,,N", "$GPGLL,,,,,,V"] }
    #expect(advances(epoch("120000") + epoch("120001") + epoch("120002")) == [0, 1, 1])
  }

  @Test func `A sentence with a wrong checksum has no time`() {
    #expect(advances([Self.gga("120000") + "*00", Self.gga("120005"), Self.gga("120006")]) == [0, 1])
  }

  @Test func `A log without times is split into bounded parts`() {
    let bursts = paced(Array(repeating: Self.gsv, count: 4000))
    #expect(bursts.count == 4)
    #expect(bursts.map(\.advance) == [0, 1, 1, 1])
  }

  @Test func `The time of every sentence type counts`() {
    let lines = [
      "$GPGNS,120000,,,,,NN,00,99.9,,,,", "$GPZDA,120001,19,03,2026,00,00", "$GPGLL,,,,,120002,V",
      Self.rmc("120003"), Self.gga("120004"),
    ]
    #expect(advances(lines) == [0, 1, 1, 1, 1])
  }
}
