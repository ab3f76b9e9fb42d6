import GPSDProtocol
import LocationCore
import Testing

@testable import Recordings

/// Bytes, a report or an event of a replay, and what came before it.
struct ReplayedItem {
  let offset: Duration
  let position: Duration
  let pass: Int
  let file: Int
  /// Number of beginnings and restarts before it.
  let measurement: Int
  let timeShift: Duration
  let isAfterGap: Bool
  let input: RecordedInput

  /// Its bytes; `nil` for an event.
  var bytes: [UInt8]? {
    switch input.content {
    case .bytes(let bytes), .otherReport(let bytes): bytes
    case .report(_, let line): line.bytes
    default: nil
    }
  }
}

/// A replay whose borders, gaps and shifts are facts of the next item.
struct ReplayedItems: ~Copyable {
  var replay: RecordingReplay
  private var measurement = -1
  private var shift = Duration.zero

  init(_ files: [String], loop: Bool = false, observes: Bool = true) throws(RecordingError) {
    replay = try RecordingReplay(files: files, loop: loop, observes: observes)
  }

  mutating func next() throws -> ReplayedItem? {
    var isAfterGap = false
    while let item = try replay.next() {
      switch item.input.content {
      case .begin, .restart: measurement += 1
      case .gap: isAfterGap = true
      case .shift(let new): shift = new
      case .end: break
      default:
        return ReplayedItem(
          offset: item.input.instant - .zero, position: item.position, pass: item.pass, file: item.file,
          measurement: measurement, timeShift: shift, isAfterGap: isAfterGap, input: item.input)
      }
    }
    return nil
  }

  /// Continues at another position, at an offset.
  mutating func seek(to target: Duration, at reached: Duration) throws {
    try replay.beginSeek(to: target)
    while try !replay.continueSeek(to: target, atMost: 1000, at: reached) {}
  }
}

struct RecordingReplayTests {
  private static func rmc(_ time: String, date: String = "190326", status: String = "A") -> String {
    "$GPRMC,\(time),\(status),4807.038,N,01131.000,E,022.4,084.4,\(date),,,"
  }

  /// Everything that a replay hands out, at most so many items.
  private func replay(_ replay: inout ReplayedItems, atMost count: Int = 1000) throws -> [ReplayedItem] {
    var items: [ReplayedItem] = []
    while items.count < count, let item = try replay.next() { items.append(item) }
    return items
  }

  private func replay(_ texts: [String], loop: Bool = false, atMost count: Int = 1000) throws -> [ReplayedItem] {
    let directory = TemporaryDirectory()
    for (index, text) in texts.enumerated() { directory.write(Array(text.utf8), to: "\(index).nmea") }
    let files = texts.indices.map { "\(directory.path)/\($0).nmea" }
    var items = try ReplayedItems(files, loop: loop)
    return try replay(&items, atMost: count)
  }

  private static func stamped(_ times: [Int64], boot: String? = nil) -> String {
    var text = "# handlebar-recording 1\n" + (boot.map { "# boot=\($0)\n" } ?? "")
    for time in times { text += "# t=\(time) src=0\n$A\(time)*00\n" }
    return text
  }

  @Test func `Items are at the positions of their stamps`() throws {
    let items = try replay([Self.stamped([5000, 5100, 7000])])
    #expect(items.map(\.offset) == [.zero, .milliseconds(100), .milliseconds(2000)])
    #expect(items.map(\.position) == items.map(\.offset))
    #expect(items.allSatisfy { $0.timeShift == .zero && $0.pass == 0 })
  }

  @Test func `Events come in order and at their time`() throws {
    let items = try replay([
      "# t=1 src=0\n$A*00\n# t=500\n# e {\"request\":\"FOLLOW\"}\n# e {\"b\":1}\n# t=900 src=1\n$B*00\n"
    ])
    #expect(items.map(\.offset) == [.zero, .milliseconds(499), .milliseconds(499), .milliseconds(899)])
    #expect(items.map { $0.bytes == nil } == [false, true, true, false])
    #expect(items[3].input.source == 1)
  }

  @Test func `A silence of more than an hour and another boot are gaps`() throws {
    let items = try replay([Self.stamped([0, 3_600_000, 7_200_001], boot: "a"), Self.stamped([0, 1000], boot: "b")])
    #expect(items.map(\.isAfterGap) == [false, false, true, true, false])
  }

  @Test func `A stamp that steps back takes no time`() throws {
    let items = try replay([Self.stamped([5000, 6000, 100, 600])])
    #expect(items.map(\.offset) == [0, 1000, 1000, 1500].map { .milliseconds($0) })
  }

  @Test func `A silence of more than an hour is skipped`() throws {
    let items = try replay([Self.stamped([0, 3_600_000, 7_200_001, 7_200_101])])
    #expect(items.map(\.offset) == [0, 3_600_000, 3_601_000, 3_601_100].map { .milliseconds($0) })
  }

  @Test func `A rotated file continues the clock, another boot follows after a second`() throws {
    let parts = [
      Self.stamped([1000, 2000], boot: "a"), Self.stamped([2700], boot: "a"), Self.stamped([9000], boot: "b"),
    ]
    #expect(try replay(parts).map(\.offset) == [0, 1000, 1700, 2700].map { .milliseconds($0) })
    let unknown = [Self.stamped([1000, 2000]), Self.stamped([2700])]
    #expect(try replay(unknown).map(\.offset) == [0, 1000, 2000].map { .milliseconds($0) })
  }

  @Test func `Plain logs and recordings can be mixed`() throws {
    let plain = [Self.rmc("120000"), Self.rmc("120002")].map { $0 + "\n" }.joined()
    let items = try replay([plain, Self.stamped([500, 800]), plain])
    #expect(items.map(\.offset) == [0, 2000, 3000, 3300, 4300, 6300].map { .milliseconds($0) })
  }

  @Test func `A plain log continues in the next file, or begins again`() throws {
    let first = [Self.rmc("120000"), Self.rmc("120002")].map { $0 + "\n" }.joined()
    let second = [Self.rmc("120002"), Self.rmc("120005")].map { $0 + "\n" }.joined()
    #expect(
      try replay([first, second, first]).map(\.offset) == [0, 2000, 2000, 5000, 6000, 8000].map { .milliseconds($0) })
  }

  @Test func `A plain log is timed by its epochs, with its events between them`() throws {
    let text = "# log\n\(Self.rmc("120000"))\n\(Self.rmc("120000.5"))\n# e {}\n\(Self.rmc("120001"))\n"
    let items = try replay([text])
    #expect(items.map(\.offset) == [0, 500, 500, 1000].map { .milliseconds($0) })
    #expect(items.map { $0.bytes == nil } == [false, false, true, false])
  }

  @Test func `A loop restarts after the next whole second and shifts measured times`() throws {
    var text = ""
    for second in 0..<4 { text += "# t=\(50_080 + second * 1000) src=0\n\(Self.rmc("12000\(second).00"))\n" }
    let items = try replay([text], loop: true, atMost: 10)
    #expect(items.map(\.offset) == (0..<10).map { .seconds($0) })
    #expect(items.map(\.pass) == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2])
    #expect(items.map(\.timeShift) == [0, 0, 0, 0, 4, 4, 4, 4, 8, 8].map { .seconds($0) })
    #expect(items.map(\.position) == [0, 1, 2, 3, 0, 1, 2, 3, 0, 1].map { .seconds($0) })
  }

  @Test func `A loop shifts by the span of measured times if that is longer`() throws {
    let text = [Self.rmc("120000"), Self.rmc("130000"), Self.rmc("235959.5")].map { $0 + "\n" }.joined()
    let items = try replay([text], loop: true, atMost: 7)
    #expect(items.map(\.offset) == [0, 1, 2, 3, 4, 5, 6].map { .seconds($0) })
    #expect(items[3].timeShift == .seconds(43_200))
    #expect(items[6].timeShift == .seconds(86_400))
  }

  @Test func `Dates before the first fix do not shift times`() throws {
    let text = [Self.rmc("120000", date: "060180", status: "V"), Self.rmc("120001")].map { $0 + "\n" }.joined()
    #expect(try replay([text], loop: true, atMost: 3)[2].timeShift == .seconds(2))
  }

  @Test(arguments: ["", "# comment\n", "# handlebar-recording 1\n"])
  func `An empty recording does not loop`(
    text: String
  ) throws {
    #expect(try replay([text], loop: true).isEmpty)
  }

  @Test func `A missing file is a typed error`() {
    let error = #expect(throws: RecordingError.self) {
      _ = try RecordingReplay(files: ["/nonexistent.nmea"])
    }
    #expect(error?.reason == .notFound)
    #expect(throws: RecordingError.self) { _ = try RecordingReplay(files: []) }
  }

  @Test func `Damage is counted and skipped`() throws {
    let directory = TemporaryDirectory()
    directory.write(Array((Self.stamped([0, 1000]) + "# t=x\n").utf8) + [0, 0, 0], to: "a.nmea")
    var schedule = try ReplayedItems([directory.path + "/a.nmea"], observes: false)
    #expect(try replay(&schedule).count == 2)
    #expect(schedule.replay.damage.badLines == 1)
    #expect(schedule.replay.damage.nulRuns == 1)
  }

  @Test func `Seeking continues at the position without turning time back`() throws {
    let directory = TemporaryDirectory()
    var text = ""
    for second in 0..<60 {
      text += "# t=\(second * 1000) src=0\n\(Self.rmc("1200\(second < 10 ? "0" : "")\(second)"))\n"
    }
    directory.write(Array(text.utf8), to: "a.nmea")
    var schedule = try ReplayedItems([directory.path + "/a.nmea"], loop: true)
    #expect(try replay(&schedule, atMost: 11).last?.offset == .seconds(10))

    try schedule.seek(to: .milliseconds(39_500), at: .milliseconds(10_200))
    let ahead = try replay(&schedule, atMost: 2)
    #expect(ahead.map(\.position) == [.seconds(40), .seconds(41)])
    #expect(ahead.map(\.offset) == [.milliseconds(10_700), .milliseconds(11_700)])
    #expect(ahead.allSatisfy { $0.timeShift == .zero })

    try schedule.seek(to: .seconds(20), at: .milliseconds(12_000))
    let back = try replay(&schedule, atMost: 2)
    #expect(back.map(\.position) == [.seconds(20), .seconds(21)])
    #expect(back.map(\.offset) == [.seconds(12), .seconds(13)])
    // 12:00:41 was the last; 12:00:20 must not lie before it.
    #expect(back.allSatisfy { $0.timeShift > .seconds(21) - .seconds(1) && $0.timeShift <= .seconds(23) })

    try schedule.seek(to: .zero, at: .seconds(14))
    let start = try replay(&schedule, atMost: 1)
    #expect(start.first?.position == .zero)
    #expect((start.first?.timeShift ?? .zero) > (back.last?.timeShift ?? .zero) + .seconds(20))

    try schedule.seek(to: .seconds(1000), at: .seconds(15))
    let next = try replay(&schedule, atMost: 1)
    #expect(next.first?.pass == 1)
    #expect(next.first?.position == .zero)
  }

  @Test func `Measured times never step back while seeking and looping`() throws {
    let directory = TemporaryDirectory()
    var text = ""
    for second in stride(from: 0, to: 3600, by: 7) {
      var line: [UInt8] = []
      for part in [12, second / 60, second % 60] { line.append(digits: UInt64(part), width: 2) }
      text += Self.rmc(String(decoding: line, as: UTF8.self)) + "\n"
    }
    directory.write(Array(text.utf8), to: "a.nmea")
    var schedule = try ReplayedItems([directory.path + "/a.nmea"], loop: true)
    var random = TestRandom(seed: 5)
    var span = MeasuredSpan()
    var newest: UTCInstant?
    var offset = Duration.zero
    for _ in 0..<2000 {
      if random.below(20) == 0 { try schedule.seek(to: .seconds(random.below(4000)), at: offset) }
      let item = try #require(try schedule.next())
      #expect(item.offset >= offset)
      offset = item.offset
      span.observe(item.input.content)
      let measured = try #require(span.last) + item.timeShift
      #expect(newest.map { measured > $0 } ?? true)
      newest = measured
    }
  }

  private static func tpv(_ time: String) -> String {
    #"{"class":"TPV","device":"d","mode":3,"time":"2026-03-19T\#(time)Z","lat":48.1,"lon":11.5}"# + "\n"
  }

  @Test func `Reports of gpsd are timed by their times, those of one epoch together`() throws {
    let text = [
      "{\"class\":\"VERSION\"}\n", Self.tpv("12:00:00"), "{\"class\":\"SKY\"}\n", Self.tpv("12:00:00"),
      Self.tpv("12:00:00.5"), Self.tpv("12:00:02.5"),
      "{\"class\":\"TPV\",\"mode\":1}\n{\"class\":\"TPV\",\"mode\":1}\n",
    ].joined()
    let items = try replay([text])
    let offsets = items.indices.filter { $0 == 0 || items[$0].offset != items[$0 - 1].offset }.map { items[$0].offset }
    #expect(offsets == [0, 500, 2500, 3500].map { .milliseconds($0) })
  }

  @Test func `A track is timed by its points, with a second for a long gap`() throws {
    let points = ["12:00:00", "12:00:02.5", "12:30:00", "14:00:00"].map {
      "<trkpt lat='1' lon='2'><time>2026-03-19T\($0)Z</time></trkpt>"
    }.joined()
    let items = try replay(["<gpx>\(points)</gpx>"], loop: true, atMost: 5)
    #expect(items.map(\.offset) == [0, 2500, 1_800_000, 1_801_000, 1_802_000].map { .milliseconds($0) })
    #expect(items.last?.timeShift == .seconds(7201))
  }

  @Test(arguments: [true, false])
  func `A ride measured before its predecessor is a later new measurement`(observes: Bool) throws {
    let directory = TemporaryDirectory()
    directory.write(Array((Self.rmc("120000") + "\n" + Self.rmc("120001") + "\n").utf8), to: "late.nmea")
    directory.write(Array((Self.tpv("08:00:00") + Self.tpv("08:00:01")).utf8), to: "early.json")
    directory.write(Array((Self.rmc("130000") + "\n").utf8), to: "later.nmea")
    var schedule = try ReplayedItems(
      ["late.nmea", "early.json", "later.nmea"].map { directory.path + "/" + $0 }, observes: observes)
    schedule.replay.published = UTCInstant(iso8601: "2026-03-19T12:00:00Z".utf8)
    let items = try replay(&schedule)
    #expect(items.map(\.file) == [0, 0, 1, 1, 2])
    // The third is of another form again.
    #expect(items.map(\.measurement) == [0, 0, 1, 1, 2])
    #expect(items[1].timeShift == .zero)
    // 12:00:01 was the last.
    #expect(items[2].timeShift > .seconds(4 * 3600 + 1) && items[2].timeShift <= .seconds(4 * 3600 + 4))
    #expect(items[3].timeShift == items[2].timeShift && items[4].timeShift == items[2].timeShift)
  }

  @Test func `A rotated file continues the measurement, another boot begins one`() throws {
    let parts = [
      Self.stamped([1000, 2000], boot: "a"), Self.stamped([2700], boot: "a"), Self.stamped([9000], boot: "b"),
    ]
    #expect(try replay(parts).map(\.measurement) == [0, 0, 0, 1])
  }

  @Test func `At full speed, times after a seek back follow the published ones`() throws {
    let directory = TemporaryDirectory()
    directory.write(Array((10..<60).map { Self.rmc("1200\($0)") + "\n" }.joined().utf8), to: "a.nmea")
    var schedule = try ReplayedItems([directory.path + "/a.nmea"], observes: false)
    _ = try replay(&schedule, atMost: 40)
    schedule.replay.published = UTCInstant(iso8601: "2026-03-19T12:00:48Z".utf8)
    try schedule.replay.beginSeek(to: .seconds(5))
    var slices = 1
    while try !schedule.replay.continueSeek(to: .seconds(5), atMost: 2, at: .seconds(39)) { slices += 1 }
    #expect(slices == 4)
    let item = try #require(try schedule.next())
    #expect(item.position == .seconds(5) && item.offset == .seconds(39))
    // 12:00:15 again, behind 12:00:49.
    #expect(item.timeShift > .seconds(34) && item.timeShift <= .seconds(37))
  }

  @Test func `The length is measured in steps`() throws {
    let directory = TemporaryDirectory()
    directory.write(Array(Self.stamped([1000, 2000, 9500]).utf8), to: "a.nmea")
    directory.write(Array((Self.tpv("08:00:00") + Self.tpv("08:00:02")).utf8), to: "b.json")
    var length = try RecordingLength(files: ["a.nmea", "b.json"].map { directory.path + "/" + $0 })
    #expect(try length.measure(atMost: 2) == nil)
    // 8.5 s, a second between the rides, 2 s.
    #expect(try length.measure(atMost: 100) == .milliseconds(11_500))
  }
}
