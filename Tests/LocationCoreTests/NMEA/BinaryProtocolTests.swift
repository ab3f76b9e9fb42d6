import TestRides
import Testing

@testable import LocationCore

struct BinaryProtocolTests {
  private static let payload: [UInt8] = [0x29] + (0..<40).map { UInt8($0 * 6 & 0x7F) }

  private static func little(_ number: Int, _ count: Int = 2) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private static func crc32(_ bytes: [UInt8]) -> [UInt8] {
    var crc: UInt32 = 0
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return little(Int(crc), 4)
  }

  /// A frame as the makers' documents describe it.
  private static func frame(_ kind: BinaryProtocol) -> [UInt8] {
    let count = payload.count
    switch kind {
    case .sirf:
      let sum = payload.reduce(0) { $0 + Int($1) } & 0x7FFF
      return [0xA0, 0xA2, 0, UInt8(count)] + payload + little(sum).reversed() + [0xB0, 0xB3]
    case .skytraq: return [0xA0, 0xA1, 0, UInt8(count)] + payload + [payload.reduce(0, ^), 0x0D, 0x0A]
    case .garmin:
      // A position report with a 10h in it, which is doubled.
      let content = [0x33, 4, 0x10, 1, 2, 3] as [UInt8]
      let sum = 0 &- content.reduce(0, &+)
      return [0x10, 0x33, 4, 0x10, 0x10, 1, 2, 3, sum, 0x10, 0x03]
    case .trimble: return [0x10, 0x8F, 0x20, 7, 0x10, 0x10, 9, 0x10, 0x03, 0x10, 0x41, 5, 6, 0x10, 0x03]
    case .novatel:
      let head: [UInt8] = [0xAA, 0x44, 0x12, 28, 42, 0, 0, 0x20] + little(count) + [UInt8](repeating: 0, count: 18)
      return head + payload + crc32(head + payload)
    case .unicore:
      let head: [UInt8] = [0xAA, 0x44, 0xB5, 0, 17, 0] + little(count) + [UInt8](repeating: 0, count: 16)
      return head + payload + crc32(head + payload)
    case .septentrio:
      let body = little(4007) + little(8 + 40) + payload.prefix(40)
      var crc: UInt16 = 0
      for byte in body {
        crc ^= UInt16(byte) << 8
        for _ in 0..<8 { crc = crc & 0x8000 != 0 ? crc << 1 ^ 0x1021 : crc << 1 }
      }
      return [0x24, 0x40] + little(Int(crc)) + body
    case .mediatek:
      let body = little(count + 9) + [0xFD, 0] + payload
      return [0x04, 0x24] + body + [body.reduce(0, ^), 0x0D, 0x0A]
    case .allystar:
      let body = [0x01, 0x02] + little(count) + payload
      var (a, b): (UInt8, UInt8) = (0, 0)
      for byte in body { (a, b) = (a &+ byte, b &+ a &+ byte) }
      return [0xF1, 0xD9] + body + [a, b]
    case .casic:
      let words = [UInt8](payload.prefix(40))
      var sum = UInt32(0x03) << 24 &+ UInt32(0x01) << 16 &+ 40
      for at in stride(from: 0, to: 40, by: 4) {
        sum &+= (0..<4).reduce(UInt32(0)) { $0 | UInt32(words[at + $1]) << (8 * UInt32($1)) }
      }
      return [0xBA, 0xCE] + little(40) + [0x01, 0x03] + words + little(Int(sum), 4)
    case .unchecked: return Array("$GPRMC,101112,A,4730.0,N,00830.0,E,1.0,0.0,150726,,,A\r\n".utf8)
    case .damaged: return Array("$GPRMC,101112,A,4730.0,N,00830.0,E,1.0,0.0,150726,,,A*00\r\n".utf8)
    case .console: return Array("login: ".utf8)
    // A message as a beacon's receiver sends it: each byte has 6 bits.
    case .rtcm2: return (0..<80).map { 0x40 | UInt8(($0 * 37 + 21) & 0x3F) }
    case .rtcm:
      let body = [0xD3, 0, UInt8(count)] + payload
      var crc: UInt32 = 0
      for byte in body {
        crc ^= UInt32(byte) << 16
        for _ in 0..<8 { crc = crc & 0x80_0000 != 0 ? crc << 1 ^ 0x186_4CFB : crc << 1 }
      }
      return body + little(Int(crc), 3).reversed()
    }
  }

  @Test(arguments: BinaryProtocol.allCases) func `A frame names its protocol, also within others' bytes`(
    _ kind: BinaryProtocol
  ) {
    var search = BinarySearch()
    let bytes = [0x00, 0x10, 0xFF, 0xA0] + Self.frame(kind) + Self.frame(kind) + [UInt8](repeating: 0x55, count: 600)
    for byte in bytes { search.read([byte], at: .zero) }
    #expect(search.found == kind)
  }

  @Test(arguments: BinaryProtocol.allCases) func `A damaged frame names none`(_ kind: BinaryProtocol) {
    guard ![.trimble, .unchecked, .damaged].contains(kind) else { return }
    var frame = Self.frame(kind)
    frame[frame.count / 2] ^= 0x40
    #expect(frame.withUnsafeBufferPointer { BinaryProtocol(in: $0) } == nil)
  }

  @Test(arguments: ["$GPRMC,1,2*48\r\n", "$GPRMC,1,2*4\r\n", "$gprmc,1,2\r\n", "$GPRMC,1,2\u{1}\r\n", "$GPRMC,1,2"])
  func `A right sentence, and what is none, are not named`(_ line: String) {
    #expect(Array(line.utf8).withUnsafeBufferPointer { BinaryProtocol(in: $0) } == nil)
  }

  @Test func `A search costs the same however a source sends`() {
    var search = BinarySearch()
    search.read([UInt8](repeating: 0x55, count: 600), at: .zero)
    // Within half a second nothing is searched, not even what has a frame.
    for _ in 0..<100 { search.read(Self.frame(.sirf), at: .zero + .milliseconds(499)) }
    #expect(search.found == nil)
    for _ in 0..<20 { search.read(Self.frame(.sirf), at: .zero + .milliseconds(500)) }
    #expect(search.found == .sirf)
  }

  @Test(arguments: ["\r\nraspberrypi login: ", "pi login:", "\r\nDebian GNU/Linux 12 pi ttyS0\r\n\r\npi login: "])
  func `A prompt is named although it is all that is sent, in one read or byte by byte`(_ prompt: String) {
    for size in [1, 100] {
      var search = BinarySearch()
      let bytes = Array(prompt.utf8)
      for begin in stride(from: 0, to: bytes.count, by: size) {
        #expect(search.found == nil)
        search.read(bytes[begin..<min(begin + size, bytes.count)].map { $0 }, at: .zero)
        if bytes.prefix(begin + size).suffix(6).elementsEqual("login:".utf8) { break }
      }
      #expect(search.found == .console)
    }
  }

  @Test func `Noise and text name none, and never trap`() {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<300 {
      var search = BinarySearch()
      search.read((0..<2000).map { _ in UInt8.random(in: 0...255, using: &generator) }, at: .zero)
      search.read(Array("sign in: \r\n\u{1B}[2J".utf8), at: .zero + .seconds(1))
      #expect(search.found == nil || search.found == .trimble)
      var frame = BinaryProtocol.allCases.randomElement(using: &generator).map(Self.frame) ?? []
      frame.removeLast(Int.random(in: 1..<frame.count, using: &generator))
      _ = frame.withUnsafeBufferPointer { BinaryProtocol(in: $0) }
    }
  }
}
