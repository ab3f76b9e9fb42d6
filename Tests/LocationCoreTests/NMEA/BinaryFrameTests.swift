import Glibc
import LocationCore
import Testing

@Suite("Binary frames")
struct BinaryFrameTests {
  private static let gga = Array("$GPGGA,123519,4807.038000,N,01131.000000,E,2,,,,,,,*7C\r\n".utf8)

  /// A payload that resembles a sentence and would be rejected as one.
  private static let bait = Array("$GPGGA,123519*00\r\n$GPXX".utf8)

  private static func ubx(_ payload: [UInt8]) -> [UInt8] {
    let body = [0x01, 0x07, UInt8(payload.count & 0xFF), UInt8(payload.count >> 8)] + payload
    var a: UInt8 = 0
    var b: UInt8 = 0
    for byte in body {
      a &+= byte
      b &+= a
    }
    return [0xB5, 0x62] + body + [a, b]
  }

  private static func rtcm3(_ payload: [UInt8]) -> [UInt8] {
    let frame = [0xD3, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload
    var sum: UInt32 = 0
    for byte in frame {
      sum ^= UInt32(byte) << 16
      for _ in 0..<8 {
        sum <<= 1
        if sum & 0x100_0000 != 0 { sum ^= 0x186_4CFB }
      }
    }
    return frame + [UInt8(sum >> 16 & 0xFF), UInt8(sum >> 8 & 0xFF), UInt8(sum & 0xFF)]
  }

  private static func casic(_ payload: [UInt8]) -> [UInt8] {
    var padded = payload
    while padded.count % 4 != 0 { padded.append(0) }
    var sum = UInt32(0x10) << 24 &+ UInt32(0x01) << 16 &+ UInt32(padded.count)
    for index in stride(from: 0, to: padded.count, by: 4) {
      for place in 0..<4 { sum &+= UInt32(padded[index + place]) << UInt32(8 * place) }
    }
    return [0xBA, 0xCE, UInt8(padded.count & 0xFF), UInt8(padded.count >> 8), 0x01, 0x10] + padded
      + (0..<4).map { UInt8(sum >> UInt32(8 * $0) & 0xFF) }
  }

  private static let frames = [ubx(bait), rtcm3(bait), casic(bait)]

  @Test(arguments: frames)
  func `A frame with a valid checksum is skipped`(_ frame: [UInt8]) {
    let seen = Seen(Self.gga + frame + Self.gga)
    #expect(seen.sentences.count == 2)
    #expect(seen.counters.ubxFrames == (frame[0] == 0xB5 ? 1 : 0))
    #expect(seen.rejections.isEmpty)
    #expect(seen.counters.binaryFrames == 1)
    #expect(seen.counters.noise == 0)
  }

  @Test(arguments: frames)
  func `A frame is skipped however the input is split`(_ frame: [UInt8]) {
    let bytes = Self.gga + frame + Self.gga
    let whole = Seen(bytes)
    #expect((0...bytes.count).allSatisfy { Seen(bytes, cuts: [$0]) == whole })
  }

  /// The frame of message 1005 from the standard's example.
  @Test func `The example of the RTCM 3 standard is valid`() {
    let frame: [UInt8] = [
      0xD3, 0x00, 0x13, 0x3E, 0xD7, 0xD3, 0x02, 0x02, 0x98, 0x0E, 0xDE, 0xEF, 0x34, 0xB4, 0xBD, 0x62, 0xAC, 0x09, 0x41,
      0x98, 0x6F, 0x33, 0x36, 0x0B, 0x98,
    ]
    #expect(Seen(frame + Self.gga).counters.binaryFrames == 1)
  }

  @Test(arguments: frames)
  func `A frame with a wrong checksum hides no sentence`(_ frame: [UInt8]) {
    var damaged = frame
    damaged[damaged.count - 1] ^= 1
    let seen = Seen(damaged + Self.gga)
    #expect(seen.sentences.count == 1)
    #expect(seen.counters.binaryFrames == 0)
    let lying = Array(frame.prefix(6)) + Self.gga + Self.gga
    #expect(Seen(lying).sentences.count == 2)
  }

  /// The decoder does not wait for such a frame, so the sentence is reported at once.
  @Test(arguments: [[0xB5, 0x62, 0x01, 0x07, 0xFF, 0xFF], [0xBA, 0xCE, 0x00, 0x10, 0x01, 0x10]] as [[UInt8]])
  func `A length beyond the limit is not a frame`(_ header: [UInt8]) {
    var decoder = NMEADecoder()
    var sentences = 0
    (header + Self.gga).withUnsafeBytes { decoder.decode($0) { _ in sentences += 1 } }
    #expect(sentences == 1)
  }

  /// Each of these begins a frame of RTCM 3 or UBX that is as long as can be, and is none.
  @Test(arguments: [[0xD3, 0x03, 0xFF], [0xB5, 0x62, 0x01, 0x35, 0x00, 0x0B]] as [[UInt8]])
  func `Beginnings of frames that never come cost little`(_ beginning: [UInt8]) {
    func time(_ bytes: [UInt8]) -> Double {
      var decoder = NMEADecoder()
      let begin = processorTime()
      for _ in 0..<64 { bytes.withUnsafeBytes { decoder.decode($0) { _ in } } }
      return processorTime() - begin
    }
    let flood = Array((0..<4096 / beginning.count).map { _ in beginning }.joined())
    let noise = [UInt8](repeating: 0x55, count: flood.count)
    let (long, short) = (time(flood), time(noise))
    // A sanitizer slows loops over bytes down, and not the search for a byte.
    #expect(getenv("HANDLEBAR_SANITIZER") != nil || long < 100 * short, "\(long) s beside \(short) s of other noise")
  }

  @Test func `Behind beginnings of frames that never come, frames and sentences are found`() {
    let flood = [UInt8]((0..<400).map { _ in [0xD3, 0x03, 0xFF] }.joined())
    let (frame, far) = (Self.rtcm3(Self.bait), [UInt8](repeating: 0x55, count: 1200))
    #expect(Seen(flood + Self.ubx(Self.bait) + Self.gga).sentences.count == 1)
    let seen = Seen(flood + far + frame + Self.gga)
    #expect(seen.sentences.count == 1 && seen.counters.binaryFrames == 1)
    #expect(Seen(flood + far + frame + Self.gga, cuts: Array(stride(from: 7, to: 2400, by: 13))) == seen)
  }

  @Test func `A frame inside a sentence rejects only that sentence`() {
    let seen = Seen(Array(Self.gga.prefix(20)) + Self.ubx(Self.bait) + Self.gga)
    #expect(seen.rejections == [.notASCII])
    #expect(seen.counters.binaryFrames == 1)
    #expect(seen.sentences.count == 1)
  }
}

@Suite("TAG blocks")
struct TagBlockTests {
  private static let gga = "$GPGGA,123519,4807.038000,N,01131.000000,E,2,,,,,,,*7C\r\n"

  private static func block(_ content: String) -> String {
    let sum = content.utf8.reduce(0, ^)
    return "\\\(content)*\(sum < 16 ? "0" : "")\(String(sum, radix: 16))\\"
  }

  @Test func `A valid block is skipped`() {
    let seen = Seen(Self.block("s:gps1,c:1774000000") + Self.gga)
    #expect(seen.sentences.count == 1)
    #expect(seen.counters.tagBlocks == 1)
    #expect(seen.counters.badTagBlocks == 0)
    #expect(seen.counters.noise == 0)
  }

  @Test(
    arguments: [
      "\\s:gps1*00\\", "\\s:gps1\\", "\\s:gps1*0\\", "\\\\", "\\s:gps1", "\\", "\\s:gps1\r\n", "\\s:\u{0}gps1*00\\",
    ]
  )
  func `A malformed block does not affect its sentence`(_ block: String) {
    let seen = Seen(block + Self.gga)
    #expect(seen.sentences.count == 1)
    #expect(seen.counters.badTagBlocks >= 1)
    #expect(seen.counters.tagBlocks == 0)
  }

  @Test func `A block without an end is bounded`() {
    let seen = Seen("\\" + String(repeating: "a", count: 5000) + Self.gga)
    #expect(seen.sentences.count == 1)
    #expect(seen.counters.badTagBlocks == 1)
  }
}
