import LocationCore
import Recordings
import Testing

@testable import RideTools

struct FITWriterTests {
  /// What another reader finds in the file, in its order: the kind of a message and some of its fields.
  private struct Message {
    let number: UInt16
    let fields: [UInt8: Int64]

    subscript(field: UInt8) -> Int64 { fields[field] ?? -1 }
  }

  /// Reads messages that are little-endian and whose definitions come before them, as the writer has them.
  private static func messages(_ file: [UInt8]) -> [Message] {
    var found: [Message] = []
    var definitions: [UInt8: (UInt16, [(UInt8, Int)])] = [:]
    var rest = file[14..<(file.count - 2)]
    func number(_ size: Int) -> Int64 {
      defer { rest = rest.dropFirst(size) }
      let value = rest.prefix(size).reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
      return value
    }
    while let head = rest.popFirst() {
      if head & 0x40 != 0 {
        rest = rest.dropFirst(2)
        let message = UInt16(number(2))
        let fields = (0..<number(1)).map { _ in (UInt8(number(1)), Int(number(1)), number(1)) }
        definitions[head & 15] = (message, fields.map { ($0.0, $0.1) })
      } else if let (message, fields) = definitions[head] {
        var values: [UInt8: Int64] = [:]
        for (field, size) in fields { values[field] = number(size) }
        found.append(Message(number: message, fields: values))
      }
    }
    return found
  }

  private static func write(_ moments: [RideMoment]) -> [Message] {
    var writer = FITWriter(ExportOptions(format: .fit, title: ""), RideSurvey())
    for moment in moments { writer.add(moment) }
    writer.finish(route: [])
    return messages(writer.bytes)
  }

  /// A ride of so many starts and stops: 40.3 s at 8 m/s and 9.4 s standing, 10 fixes a second.
  private static func ride(_ stops: Int) -> [RideMoment] {
    var moments: [RideMoment] = []
    var east = 0.0
    for tenth in 0..<(stops * 497) {
      let speed = tenth % 497 < 403 ? 8.0 : 0
      east += speed / 10
      var fix = TestTrack.fix(0, 10 + east / 111_319.490793, seconds: Double(tenth) / 10)
      fix.speed = speed
      fix.altitudeMSL = 100
      moments.append(TestTrack.moment(fix, begins: tenth == 0))
    }
    return moments
  }

  @Test(arguments: [1, 3, 20])
  func `The timer's events, of whole seconds, add up to the moving time`(stops: Int) throws {
    let messages = Self.write(Self.ride(stops))
    let session = try #require(messages.first { $0.number == 18 })
    var (timer, started, newest) = (Int64(0), Int64(0), Int64(0))
    for message in messages where message.number == 20 || message.number == 21 {
      #expect(message[253] >= newest || message.number == 21)
      newest = max(newest, message[253])
      guard message.number == 21 else { continue }
      if message[1] == 0 { started = message[253] } else { timer += message[253] - started }
    }
    #expect(abs(Double(timer) - Double(session[8]) / 1000) <= 1, "\(timer) s of \(session[8]) ms")
  }

  @Test func `A lap that the rider begins ends the one before, and their sums are the session's`() throws {
    var moments = Self.ride(4)
    for place in [1200, 500] {
      moments.insert(.lap(.request, at: .milliseconds(Int64(place) * 100)), at: place)
      // Another trip's lap at the same moment is the same lap.
      moments.insert(.lap(.request, at: .milliseconds(Int64(place) * 100)), at: place)
    }
    let messages = Self.write(moments)
    let session = try #require(messages.first { $0.number == 18 })
    let laps = messages.filter { $0.number == 19 }
    #expect(laps.map { $0[254] } == [0, 1, 2] && session[26] == 3)
    #expect(laps.map { $0[24] } == [0, 0, 7])
    #expect(laps.dropFirst().map { $0[2] } == laps.dropLast().map { $0[253] })
    for field in [8, 9] as [UInt8] { #expect(abs(laps.reduce(0) { $0 + $1[field] } - session[field]) <= 2) }
    #expect(laps.allSatisfy { abs($0[111] - 8000) < 50 })
    // 50 s with one stop, 70 s with one, and the rest.
    #expect(abs(laps[0][8] - 40_600) < 1500 && abs(laps[1][8] - 60_600) < 1500)
  }

  @Test func `A record has what sensors measured, and the session average and maximum`() throws {
    let plain = Self.ride(1)
    let moments = plain.enumerated().map { index, moment -> RideMoment in
      guard case .fix(var fix) = moment, index >= 100 else { return moment }
      fix.sensed.rider.heartRate = index < 200 ? 120 : 140
      fix.sensed.rider.power = 300
      fix.sensed.rider.temperature = -5.4
      return .fix(fix)
    }
    let messages = Self.write(moments)
    let records = messages.filter { $0.number == 20 }
    // The invalid value of the type before the sensor is there, -5 °C as a byte, and no cadence.
    #expect(records.first?[3] == 0xFF && records.first?[7] == 0xFFFF && records.first?[13] == 0x7F)
    #expect(records[15][3] == 120 && records[15][7] == 300 && records[15][13] == 0xFB && records[15][4] == -1)
    let session = try #require(messages.first { $0.number == 18 })
    #expect(abs(session[16] - 133) <= 1 && session[17] == 140 && session[20] == 300 && session[21] == 300)
    #expect(session[57] == 0xFB && session[58] == 0xFB && session[18] == -1)
    #expect(Self.write(plain).allSatisfy { $0.number != 20 || $0[3] == -1 })
  }

  @Test func `A record has the grade and the altitude by a barometer`() {
    let plain = Self.ride(1)
    let moments = plain.enumerated().map { index, moment -> RideMoment in
      guard case .fix(var fix) = moment, index >= 100 else { return moment }
      (fix.sensed.fused.altitude, fix.sensed.fused.grade) = (120, index < 200 ? 7.5 : -4.25)
      return .fix(fix)
    }
    let records = Self.write(moments).filter { $0.number == 20 }
    // The invalid value before the barometer is there, then hundredths of a percent; altitudes are fifths of a metre.
    #expect(records.first?[9] == 0x7FFF && records.first?[78] == 3000)
    #expect(records[15][9] == 750 && records[15][78] == 3100 && records[25][9] == 0x10000 - 425)
    #expect(Self.write(plain).allSatisfy { $0.number != 20 || $0[9] == -1 })
  }

  @Test func `A ride without laps has one`() {
    let laps = Self.write(Self.ride(1)).filter { $0.number == 19 }
    #expect(laps.count == 1 && laps.first?[24] == 7)
  }
}

struct LapPlaceTests {
  @Test func `A lap begins where the rider goes away again, not at the start and not while standing there`() {
    var place = LapPlace(Coordinate.equator)
    // From the place away and back, past it at 10 m, and away.
    let metres: [Double] = [0, 1, 0, 2, 40, 100, 200, 100, 40, 20, 10, 11, 12, 11, 14, 30, 60, 26, 30, 60]
    var passed: [Int] = []
    for (index, metres) in metres.enumerated() {
      place.mark(TestTrack.moment(TestTrack.fix(0, metres / 111_319.490793, seconds: Double(index)))) {
        if case .lap = $0 { passed.append(index) }
      }
    }
    #expect(passed == [11])
  }
}
