import GPSDProtocol
import LocationCore
import Testing

@testable import Recordings

struct ReplayScheduleTests {
  private static func rmc(_ time: String, date: String = "190326", status: String = "A") -> String {
    "$GPRMC,\(time),\(status),4807.038,N,01131.000,E,022.4,084.4,\(date),,,"
  }

  /// Everything that a schedule hands out, at most so many items.
  private func replay(_ schedule: inout ReplaySchedule, atMost count: Int = 1000) throws -> [ReplayItem] {
    var items: [ReplayItem] = []
    while items.count < count, let item = try schedule.next() { items.append(item) }
    return items
  }

  private func replay(_ texts: [String], loop: Bool = false, atMost count: Int = 1000) throws -> [ReplayItem] {
    let directory = TemporaryDirectory()
    for (index, text) in texts.enumerated() { directory.write(Array(text.utf8), to: "\(index).nmea") }
    let files = texts.indices.map { "\(directory.path)/\($0).nmea" }
    var schedule = try ReplaySchedule(files: files, speed: .times(1), loop: loop)
    return try replay(&schedule, atMost: count)
  }

  private static func stamped(_ times: [Int64], boot: String? = nil) -> String {
    var text = "# handlebar-recording 1\n" + (boot.map { "# boot=\($0)\n" } ?? "")
    for time in times { text += "# t=\(time) src=0\n$A\(time)*00\n" }
    return text
  }

  @Test("Items are at the positions of their stamps")
  func itemsPositionsTheirStamps() throws {
    let items = try replay([Self.stamped([5000, 5100, 7000])])
    #expect(items.map(\.offset) == [.zero, .milliseconds(100), .milliseconds(2000)])
    #expect(items.map(\.position) == items.map(\.offset))
    #expect(items.allSatisfy { $0.timeShift == .zero && $0.pass == 0 })
  }

  @Test("Events come in order and at their time")
  func eventsComeOrderTheirTime() throws {
    let items = try replay([
      "# t=1 src=0\n$A*00\n# t=500\n# e {\"request\":\"FOLLOW\"}\n# e {\"b\":1}\n# t=900 src=1\n$B*00\n"
    ])
    #expect(items.map(\.offset) == [.zero, .milliseconds(499), .milliseconds(499), .milliseconds(899)])
    guard case .event(let event) = items[1].content, case .burst(let burst) = items[3].content else {
      Issue.record("wrong order")
      return
    }
    #expect(event.json == Array("{\"request\":\"FOLLOW\"}".utf8))
    #expect(burst.stamp?.source == 1)
  }

  @Test("A silence of more than an hour and another boot are gaps")
  func gaps() throws {
    let items = try replay([Self.stamped([0, 3_600_000, 7_200_001], boot: "a"), Self.stamped([0, 1000], boot: "b")])
    #expect(items.map(\.isAfterGap) == [false, false, true, true, false])
  }

  @Test("A stamp that steps back takes no time")
  func stampStepsBackTakesNoTime() throws {
    let items = try replay([Self.stamped([5000, 6000, 100, 600])])
    #expect(items.map(\.offset) == [0, 1000, 1000, 1500].map { .milliseconds($0) })
  }

  @Test("A silence of more than an hour is skipped")
  func silenceMoreThanHourSkipped() throws {
    let items = try replay([Self.stamped([0, 3_600_000, 7_200_001, 7_200_101])])
    #expect(items.map(\.offset) == [0, 3_600_000, 3_601_000, 3_601_100].map { .milliseconds($0) })
  }

  @Test("A rotated file continues the clock, another boot follows after a second")
  func rotatedFileContinuesClockAnotherBoot() throws {
    let parts = [
      Self.stamped([1000, 2000], boot: "a"), Self.stamped([2700], boot: "a"), Self.stamped([9000], boot: "b"),
    ]
    #expect(try replay(parts).map(\.offset) == [0, 1000, 1700, 2700].map { .milliseconds($0) })
    let unknown = [Self.stamped([1000, 2000]), Self.stamped([2700])]
    #expect(try replay(unknown).map(\.offset) == [0, 1000, 2000].map { .milliseconds($0) })
  }

  @Test("Plain logs and recordings can be mixed")
  func plainLogsRecordingsCanMixed() throws {
    let plain = [Self.rmc("120000"), Self.rmc("120002")].map { $0 + "\n" }.joined()
    let items = try replay([plain, Self.stamped([500, 800]), plain])
    #expect(items.map(\.offset) == [0, 2000, 3000, 3300, 4300, 6300].map { .milliseconds($0) })
  }

  @Test("A plain log continues in the next file, or begins again")
  func plainLogContinuesNextFileBegins() throws {
    let first = [Self.rmc("120000"), Self.rmc("120002")].map { $0 + "\n" }.joined()
    let second = [Self.rmc("120002"), Self.rmc("120005")].map { $0 + "\n" }.joined()
    #expect(
      try replay([first, second, first]).map(\.offset) == [0, 2000, 2000, 5000, 6000, 8000].map { .milliseconds($0) })
  }

  @Test("A plain log is timed by its epochs, with its events between them")
  func plainLogTimedEpochsEventsBetween() throws {
    let text = "# log\n\(Self.rmc("120000"))\n\(Self.rmc("120000.5"))\n# e {}\n\(Self.rmc("120001"))\n"
    let items = try replay([text])
    #expect(items.map(\.offset) == [0, 500, 500, 1000].map { .milliseconds($0) })
    #expect(items.map { if case .event = $0.content { true } else { false } } == [false, false, true, false])
  }

  @Test("A loop restarts after the next whole second and shifts measured times")
  func loopRestartsAfterNextWholeSecond() throws {
    var text = ""
    for second in 0..<4 { text += "# t=\(50_080 + second * 1000) src=0\n\(Self.rmc("12000\(second).00"))\n" }
    let items = try replay([text], loop: true, atMost: 10)
    #expect(items.map(\.offset) == (0..<10).map { .seconds($0) })
    #expect(items.map(\.pass) == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2])
    #expect(items.map(\.timeShift) == [0, 0, 0, 0, 4, 4, 4, 4, 8, 8].map { .seconds($0) })
    #expect(items.map(\.position) == [0, 1, 2, 3, 0, 1, 2, 3, 0, 1].map { .seconds($0) })
  }

  @Test("A loop shifts by the span of measured times if that is longer")
  func loopShiftsSpanMeasuredTimesIf() throws {
    let text = [Self.rmc("120000"), Self.rmc("130000"), Self.rmc("235959.5")].map { $0 + "\n" }.joined()
    let items = try replay([text], loop: true, atMost: 7)
    #expect(items.map(\.offset) == [0, 1, 2, 3, 4, 5, 6].map { .seconds($0) })
    #expect(items[3].timeShift == .seconds(43_200))
    #expect(items[6].timeShift == .seconds(86_400))
  }

  @Test("Dates before the first fix do not shift times")
  func datesBeforeFirstFixDoNot() throws {
    let text = [Self.rmc("120000", date: "060180", status: "V"), Self.rmc("120001")].map { $0 + "\n" }.joined()
    #expect(try replay([text], loop: true, atMost: 3)[2].timeShift == .seconds(2))
  }

  @Test("An empty recording does not loop", arguments: ["", "# comment\n", "# handlebar-recording 1\n"])
  func emptyRecordingDoesNotLoop(
    text: String
  ) throws {
    #expect(try replay([text], loop: true).isEmpty)
  }

  @Test("A missing file is a typed error")
  func missingFileTypedError() {
    let error = #expect(throws: RecordingError.self) {
      _ = try ReplaySchedule(files: ["/nonexistent.nmea"], speed: .max, loop: false)
    }
    #expect(error?.reason == .notFound)
    #expect(throws: RecordingError.self) { _ = try ReplaySchedule(files: [], speed: .max, loop: false) }
  }

  @Test("Damage is counted and skipped")
  func damageCountedSkipped() throws {
    let directory = TemporaryDirectory()
    directory.write(Array((Self.stamped([0, 1000]) + "# t=x\n").utf8) + [0, 0, 0], to: "a.nmea")
    var schedule = try ReplaySchedule(files: [directory.path + "/a.nmea"], speed: .max, loop: false)
    #expect(try replay(&schedule).count == 2)
    #expect(schedule.damage.badLines == 1)
    #expect(schedule.damage.nulRuns == 1)
  }

  @Test("Seeking continues at the position without turning time back")
  func seekingContinuesPositionWithoutTurningTime() throws {
    let directory = TemporaryDirectory()
    var text = ""
    for second in 0..<60 {
      text += "# t=\(second * 1000) src=0\n\(Self.rmc("1200\(second < 10 ? "0" : "")\(second)"))\n"
    }
    directory.write(Array(text.utf8), to: "a.nmea")
    var schedule = try ReplaySchedule(files: [directory.path + "/a.nmea"], speed: .times(1), loop: true)
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

  @Test("Measured times never step back while seeking and looping")
  func measuredTimesNeverStepBackWhile() throws {
    let directory = TemporaryDirectory()
    var text = ""
    for second in stride(from: 0, to: 3600, by: 7) {
      var line: [UInt8] = []
      for part in [12, second / 60, second % 60] { line.append(digits: UInt64(part), width: 2) }
      text += Self.rmc(String(decoding: line, as: UTF8.self)) + "\n"
    }
    directory.write(Array(text.utf8), to: "a.nmea")
    var schedule = try ReplaySchedule(files: [directory.path + "/a.nmea"], speed: .times(1), loop: true)
    var random = TestRandom(seed: 5)
    var span = MeasuredSpan()
    var newest: UTCInstant?
    var offset = Duration.zero
    for _ in 0..<2000 {
      if random.below(20) == 0 { try schedule.seek(to: .seconds(random.below(4000)), at: offset) }
      let item = try #require(try schedule.next())
      #expect(item.offset >= offset)
      offset = item.offset
      guard case .burst(let burst) = item.content else { continue }
      span.observe(burst.bytes)
      let measured = try #require(span.last) + item.timeShift
      #expect(newest.map { measured > $0 } ?? true)
      newest = measured
    }
  }

  private static func tpv(_ time: String) -> String {
    #"{"class":"TPV","device":"d","mode":3,"time":"2026-03-19T\#(time)Z","lat":48.1,"lon":11.5}"# + "\n"
  }

  @Test("Reports of gpsd are timed by their times, those of one epoch together")
  func reportsGpsdTimedTheirTimesThose() throws {
    let text = [
      "{\"class\":\"VERSION\"}\n", Self.tpv("12:00:00"), "{\"class\":\"SKY\"}\n", Self.tpv("12:00:00"),
      Self.tpv("12:00:00.5"), Self.tpv("12:00:02.5"),
      "{\"class\":\"TPV\",\"mode\":1}\n{\"class\":\"TPV\",\"mode\":1}\n",
    ].joined()
    let items = try replay([text])
    #expect(items.map(\.offset) == [0, 500, 2500, 3500].map { .milliseconds($0) })
  }

  @Test("A track is timed by its points, with a second for a long gap")
  func trackTimedPointsSecondLongGap() throws {
    let points = ["12:00:00", "12:00:02.5", "12:30:00", "14:00:00"].map {
      "<trkpt lat='1' lon='2'><time>2026-03-19T\($0)Z</time></trkpt>"
    }.joined()
    let items = try replay(["<gpx>\(points)</gpx>"], loop: true, atMost: 5)
    #expect(items.map(\.offset) == [0, 2500, 1_800_000, 1_801_000, 1_802_000].map { .milliseconds($0) })
    #expect(items.last?.timeShift == .seconds(7201))
  }

  @Test("A ride measured before its predecessor is a later new measurement", arguments: [ReplaySpeed.times(1), .max])
  func rideMeasuredBeforePredecessorLaterNew(speed: ReplaySpeed)
    throws
  {
    let directory = TemporaryDirectory()
    directory.write(Array((Self.rmc("120000") + "\n" + Self.rmc("120001") + "\n").utf8), to: "late.nmea")
    directory.write(Array((Self.tpv("08:00:00") + Self.tpv("08:00:01")).utf8), to: "early.json")
    directory.write(Array((Self.rmc("130000") + "\n").utf8), to: "later.nmea")
    var schedule = try ReplaySchedule(
      files: ["late.nmea", "early.json", "later.nmea"].map { directory.path + "/" + $0 }, speed: speed, loop: false)
    schedule.published = UTCInstant(iso8601: "2026-03-19T12:00:00Z".utf8)
    let items = try replay(&schedule)
    #expect(items.map(\.file) == [0, 0, 1, 1, 2])
    // The third is of another form again.
    #expect(items.map(\.measurement) == [0, 0, 1, 1, 2])
    #expect(items[1].timeShift == .zero)
    // 12:00:01 was the last.
    #expect(items[2].timeShift > .seconds(4 * 3600 + 1) && items[2].timeShift <= .seconds(4 * 3600 + 4))
    #expect(items[3].timeShift == items[2].timeShift && items[4].timeShift == items[2].timeShift)
  }

  @Test("A rotated file continues the measurement, another boot begins one")
  func rotatedFileContinuesMeasurementAnotherBoot() throws {
    let parts = [
      Self.stamped([1000, 2000], boot: "a"), Self.stamped([2700], boot: "a"), Self.stamped([9000], boot: "b"),
    ]
    #expect(try replay(parts).map(\.measurement) == [0, 0, 0, 1])
  }

  @Test("At full speed, times after a seek back follow the published ones")
  func fullSpeedTimesAfterSeekBack() throws {
    let directory = TemporaryDirectory()
    directory.write(Array((10..<60).map { Self.rmc("1200\($0)") + "\n" }.joined().utf8), to: "a.nmea")
    var schedule = try ReplaySchedule(files: [directory.path + "/a.nmea"], speed: .max, loop: false)
    _ = try replay(&schedule, atMost: 40)
    schedule.published = UTCInstant(iso8601: "2026-03-19T12:00:48Z".utf8)
    try schedule.beginSeek(to: .seconds(5))
    var slices = 1
    while try !schedule.continueSeek(to: .seconds(5), atMost: 2, at: .seconds(39)) { slices += 1 }
    #expect(slices == 3)
    let item = try #require(try schedule.next())
    #expect(item.position == .seconds(5) && item.offset == .seconds(39) && item.measurement == 1)
    // 12:00:15 again, behind 12:00:49.
    #expect(item.timeShift > .seconds(34) && item.timeShift <= .seconds(37))
  }

  @Test("The length is measured in steps")
  func lengthMeasuredSteps() throws {
    let directory = TemporaryDirectory()
    directory.write(Array(Self.stamped([1000, 2000, 9500]).utf8), to: "a.nmea")
    directory.write(Array((Self.tpv("08:00:00") + Self.tpv("08:00:02")).utf8), to: "b.json")
    var length = try RecordingLength(files: ["a.nmea", "b.json"].map { directory.path + "/" + $0 })
    #expect(try length.measure(atMost: 2) == nil)
    // 8.5 s, a second between the rides, 2 s.
    #expect(try length.measure(atMost: 100) == .milliseconds(11_500))
  }
}
