import LocationCore
import Testing

@testable import Recordings

struct RecordingDecoderTests {
  @Test func `A recording gives header, bursts and events in order`() {
    let text = """
      # handlebar-recording 1
      # device=/dev/gps0
      # boot=1f0c9a7e
      # t=1000 u=1773923719000 src=0
      $A*00
      $B*00
      # e {"request":"FOLLOW","view":"main","enable":true}
      # t=2000 src=1
      $C*00

      """
    let first = RecordingStamp(instant: .milliseconds(1000), utc: .milliseconds(1_773_923_719_000), source: 0)
    let header = RecordingHeader(fields: [.init("device", "/dev/gps0"), .init("boot", "1f0c9a7e")])
    #expect(
      items(of: text) == [
        .header(header),
        .burst(RecordedBurst(stamp: first, bytes: Array("$A*00\n$B*00\n".utf8))),
        .event(
          RecordedEvent(stamp: first, json: Array(#"{"request":"FOLLOW","view":"main","enable":true}"#.utf8))),
        .burst(
          RecordedBurst(stamp: .init(instant: .milliseconds(2000), source: 1), bytes: Array("$C*00\n".utf8))),
      ])
    #expect(header["boot"] == "1f0c9a7e")
    #expect(header["speed"] == nil)
  }

  @Test func `A plain log gives its lines without stamps and without its comments`() {
    let read = items(of: "# Name: x\n# t = none\n\(gga)#\n\(rmc)$GPGLL,no end")
    #expect(read.bursts.map { String(decoding: $0.bytes, as: UTF8.self) } == [gga, rmc, "$GPGLL,no end"])
    #expect(read.count == 3)
    #expect(read.bursts.allSatisfy { $0.stamp == nil })
  }

  @Test func `A plain log keeps binary data, even without line ends`() {
    let binary = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 % 251 == 10 ? 0 : $0 % 251) }
    let read = items(of: [1] + binary, piece: 999)
    #expect(read.bytes() == [1] + binary)
    #expect(read.damage == [])
  }

  @Test func `A recording with DOS line ends is read`() {
    let read = items(of: "# handlebar-recording 1\r\n# speed=9600\r\n# t=5 src=0\r\n$A*00\r\n# e {}\r\n")
    #expect(read.damage == [])
    #expect(read.bytes() == Array("$A*00\r\n".utf8))
    #expect(read.events.map(\.json) == [Array("{}".utf8)])
    #expect(read.first == .header(RecordingHeader(fields: [.init("speed", "9600")])))
  }

  @Test(
    arguments: [
      ("# t=\n", RecordingDamage.badStamp), ("# t=-5\n", .badStamp), ("# t=9223372036855\n", .badStamp),
      ("# t=99999999999999999999\n", .badStamp), ("# t=5 u=x\n", .badStamp), ("# t=5 src=70000\n", .badStamp),
      ("# t=5 6\n", .badStamp), ("# x 0\n", .badBytes), ("# x 0g\n", .badBytes), ("# e {\"a\":1\n", .badEvent),
      ("caf\u{e9}\n", .notText(bytes: 6)), ("# handlebar-recording 2\n", .unknownVersion),
    ]
  )
  func `A bad line is skipped and reported`(line: String, damage: RecordingDamage) {
    let read = items(of: "# t=1 src=0\n$A*00\n\(line)$B*00\n# t=2 src=0\n$C*00\n")
    #expect(read.damage == [damage])
    #expect(read.bursts.map(\.stamp?.instant) == [.milliseconds(1), .milliseconds(1), .milliseconds(2)])
    #expect(read.bytes() == Array("$A*00\n$B*00\n$C*00\n".utf8))
  }

  @Test func `Unknown keys are ignored`() {
    let read = items(of: "# t=1 src=0 q=abc\n# later {}\n$A*00\n")
    #expect(read == [.burst(.init(stamp: .init(instant: .milliseconds(1), source: 0), bytes: Array("$A*00\n".utf8)))])
  }

  @Test func `A line too long for a recording is skipped in bounded memory`() {
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: 1_000_000)
    let read = items(of: Array("# t=1 src=0\n$A*00\n".utf8) + long + Array("\n$B*00\n".utf8), piece: 4096)
    #expect(read.damage == [.overlongLine(bytes: 1_000_001)])
    #expect(read.bytes() == Array("$A*00\n$B*00\n".utf8))
  }

  @Test func `A read longer than a burst comes in parts with one stamp`() {
    let lines = [UInt8]((0..<3000).flatMap { Array("$GPTXT,\($0),aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n".utf8) })
    let read = items(of: recording(of: [lines]))
    #expect(read.bytes() == lines)
    #expect(read.bursts.count > 1)
    #expect(read.bursts.allSatisfy { $0.bytes.count <= RecordingDecoder.maximumBurst })
    #expect(Set(read.bursts.map(\.stamp)).count == 1)
  }
}
