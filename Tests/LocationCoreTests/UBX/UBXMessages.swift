@testable import LocationCore

/// UBX messages of a rider in Munich, at a GPS time of week in milliseconds from 12:35:00 UTC on.
enum UBX {
  static func frame(_ code: UInt16, _ payload: [UInt8]) -> [UInt8] {
    let body =
      [
        UInt8(code >> 8), UInt8(code & 0xFF), UInt8(payload.count & 0xFF),
        UInt8(payload.count >> 8),
      ] + payload
    var (a, b): (UInt8, UInt8) = (0, 0)
    for byte in body {
      a &+= byte
      b &+= a
    }
    return [0xB5, 0x62] + body + [a, b]
  }

  /// GPS is 18 s ahead of UTC; 2026-03-19 is a Thursday.
  static func timeOfWeek(_ milliseconds: Int) -> UInt32 {
    milliseconds < 604_800_000
      ? UInt32(4 * 86_400_000 + 45_300_000 + 18_000 + milliseconds) : UInt32(milliseconds)
  }

  static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  private static func clock(_ milliseconds: Int) -> [UInt8] {
    let second = milliseconds % 604_800_000 / 1000
    return bytes(UInt16(2026)) + [3, 19, 12, UInt8(35 + second / 60 % 20), UInt8(second % 60)]
  }

  /// The time of week and the UTC, year to second, may be others than those of `time`.
  static func pvt(
    _ time: Int, fixType: UInt8 = 3, flags: UInt8 = 1, flags3: UInt8 = 0, nano: Int32 = 0,
    latitude: Int32 = 481_173_000, longitude: Int32 = 115_166_667, headAcc: UInt32 = 500_000,
    timeOfWeek: UInt32? = nil, utc: [UInt8]? = nil
  ) -> [UInt8] {
    var payload = bytes(timeOfWeek ?? self.timeOfWeek(time)) + (utc ?? clock(time)) + [0x07] + bytes(UInt32(25))
    payload += bytes(nano) + [fixType, flags, 0, 12] + bytes(longitude) + bytes(latitude)
    payload +=
      bytes(Int32(592_300)) + bytes(Int32(545_400)) + bytes(UInt32(2000)) + bytes(UInt32(3000))
    payload += bytes(Int32(0)) + bytes(Int32(0)) + bytes(Int32(-250)) + bytes(Int32(11_524))
    payload += bytes(Int32(8_440_000)) + bytes(UInt32(200)) + bytes(headAcc) + bytes(UInt16(142))
    payload += [flags3, 0, 0, 0, 0, 0] + Array(repeating: 0, count: 8)
    return frame(0x0107, payload)
  }

  static func eoe(_ time: Int) -> [UInt8] { frame(0x0161, bytes(timeOfWeek(time))) }

  static func dop(_ time: Int) -> [UInt8] {
    frame(
      0x0104,
      bytes(timeOfWeek(time)) + [163, 142, 80, 117, 82, 74, 34].flatMap { bytes(UInt16($0)) })
  }

  typealias Satellite = (
    system: UInt8, number: UInt8, level: UInt8, elevation: Int8, azimuth: Int16, isUsed: Bool
  )

  static func sat(_ time: Int, _ satellites: [Satellite]) -> [UInt8] {
    frame(
      0x0135,
      bytes(timeOfWeek(time)) + [1, UInt8(satellites.count), 0, 0]
        + satellites.flatMap { seen -> [UInt8] in
          let position = bytes(seen.elevation) + bytes(seen.azimuth)
          let flags: [UInt8] = [0, 0, seen.isUsed ? 8 : 0, 0, 0, 0]
          return [seen.system, seen.number, seen.level] + position + flags
        })
  }

  typealias Channel = (number: UInt8, level: UInt8, elevation: Int8, azimuth: Int16, isUsed: Bool)

  static func svinfo(_ time: Int, _ channels: [Channel]) -> [UInt8] {
    frame(
      0x0130,
      bytes(timeOfWeek(time)) + [UInt8(channels.count), 4, 0, 0]
        + channels.enumerated().flatMap { channel, seen -> [UInt8] in
          let head = [UInt8(channel), seen.number, seen.isUsed ? 1 : 0, 7, seen.level]
          return head + bytes(seen.elevation) + bytes(seen.azimuth) + bytes(Int32(0))
        })
  }

  static func status(_ time: Int, spoofing: UInt8) -> [UInt8] {
    frame(
      0x0103, bytes(timeOfWeek(time)) + [3, 0x0D, 0, spoofing << 3] + Array(repeating: 0, count: 8))
  }

  static func posllh(_ time: Int, latitude: Int32 = 481_173_000) -> [UInt8] {
    frame(
      0x0102,
      bytes(timeOfWeek(time)) + bytes(Int32(115_166_667)) + bytes(latitude)
        + bytes(Int32(592_300))
        + bytes(Int32(545_400)) + bytes(UInt32(2000)) + bytes(UInt32(3000)))
  }

  /// Place and velocity in Earth-centred coordinates, centimetres and cm/s.
  static func sol(_ time: Int, place: [Int32] = [0, 0, 0], velocity: [Int32] = [0, 0, 0]) -> [UInt8] {
    var payload = bytes(timeOfWeek(time)) + bytes(Int32(0)) + bytes(Int16(2410)) + [3, 0x0D]
    payload += place.flatMap { bytes($0) } + bytes(UInt32(400)) + velocity.flatMap { bytes($0) } + bytes(UInt32(20))
    return frame(0x0106, payload + bytes(UInt16(142)) + [0, 12, 0, 0, 0, 0])
  }

  static func timegps(_ time: Int, fraction: Int32 = 0, week: Int16 = 2410, valid: UInt8 = 7) -> [UInt8] {
    frame(
      0x0120,
      bytes(timeOfWeek(time)) + bytes(fraction) + bytes(week) + [18, valid] + bytes(UInt32(25)))
  }

  static func velned(_ time: Int) -> [UInt8] {
    frame(
      0x0112,
      bytes(timeOfWeek(time)) + Array(repeating: 0, count: 12) + bytes(UInt32(1152))
        + bytes(UInt32(1152))
        + bytes(Int32(8_440_000)) + bytes(UInt32(20)) + bytes(UInt32(500_000)))
  }

  static func timeutc(_ time: Int) -> [UInt8] {
    frame(
      0x0121, bytes(timeOfWeek(time)) + bytes(UInt32(25)) + bytes(Int32(0)) + clock(time) + [0x07])
  }
}

extension UTCInstant {
  init?(iso date: (Int, Int, Int), _ hour: Int, _ minute: Int, _ second: Int) {
    guard let date = CalendarDate(year: date.0, month: date.1, day: date.2),
      let time = TimeOfDay(hour: hour, minute: minute, second: second)
    else { return nil }
    self.init(date: date, time: time)
  }
}
