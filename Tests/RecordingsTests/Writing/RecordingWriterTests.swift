import LocationCore
import Testing

@testable import Recordings

struct RecordingWriterTests {
  @Test func `A read of whole lines is written unchanged below one stamp`() {
    #expect(
      recording(of: [gga + rmc])
        == """
        # handlebar-recording 1
        # device=/dev/gps0
        # speed=9600
        # t=1000 u=1773923720000 src=0
        \(gga + rmc)
        """)
  }

  @Test func `A line split between two reads belongs to the read that completes it`() {
    let text = recording(of: [gga + "$GNRMC,1235", "19.00*00\r\n"])
    #expect(text.hasSuffix("src=0\n\(gga)# t=1100 u=1773923720100 src=0\n$GNRMC,123519.00*00\r\n"))
  }

  @Test func `An unset clock is not written`() {
    var writer = RecordingWriter()
    var bytes: [UInt8] = []
    writer.burst(Array("$A\n".utf8), from: 3, at: .milliseconds(7), utc: nil, into: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == "# t=7 src=3\n$A\n")
  }

  @Test(
    arguments: [
      ("unfinished at the end", ["$GPGGA,1"], "# t=1000 u=1773923720000 src=0\n# cut\n$GPGGA,1\n"),
      (
        "ended by CR alone", ["$A*00\r$B*00\r"],
        "src=0\n# cut\n$A*00\r\n# t=1000 u=1773923720000 src=0\n# cut\n$B*00\r\n"
      ),
      ("starts like a comment", ["#evil\r\n"], "src=0\n# x 236576696C0D0A\n"),
      ("noise before a sentence", ["\u{1}\u{2}$A*00\r\n"], "src=0\n# x 0102\n$A*00\r\n"),
      ("noise inside a sentence", ["$A\u{1}B*00\r\n"], "src=0\n# x 24410142" + "2A30300D0A\n"),
      ("a NUL", ["\0"], "src=0\n# x 00\n"),
      ("an empty line", ["\r\n"], "src=0\n\r\n"),
    ]
  )
  func `Binary data are written in lines of their own`(name: String, reads: [String], tail: String) {
    #expect(recording(of: reads).hasSuffix(tail))
  }

  @Test func `A sentence before a pause is written under its own time`() {
    let text = recording(of: ["\r\n$A*00", "\r\n$B*00"], every: 1000)
    #expect(text.contains("# t=1000 u=1773923720000 src=0\n\r\n# t=1000 u=1773923720000 src=0\n# cut\n$A*00\n"))
    #expect(text.hasSuffix("# t=2000 u=1773923721000 src=0\n\r\n# t=2000 u=1773923721000 src=0\n# cut\n$B*00\n"))
  }

  @Test func `The incomplete line of a silent source is written after the limit`() {
    var writer = RecordingWriter()
    var bytes: [UInt8] = []
    writer.burst(Array("$A".utf8), from: 0, at: .milliseconds(1000), utc: nil, into: &bytes)
    writer.releaseSilent(at: .milliseconds(1250), into: &bytes)
    #expect(bytes.isEmpty)
    writer.releaseSilent(at: .milliseconds(1251), into: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == "# t=1000 src=0\n# cut\n$A\n")
  }

  @Test func `An endless line is kept up to a limit`() {
    var writer = RecordingWriter()
    var bytes: [UInt8] = []
    let noise = [UInt8](repeating: UInt8(ascii: "a"), count: 40_000)
    writer.burst(noise, from: 0, at: .milliseconds(1), utc: nil, into: &bytes)
    #expect(items(of: bytes).bytes().count == 2 * RecordingWriter.maximumHeld)
    writer.finish(into: &bytes)
    #expect(items(of: bytes).bytes() == noise)
  }

  @Test func `Stamps never step back when two sources take turns`() {
    var writer = RecordingWriter()
    var bytes: [UInt8] = []
    writer.burst(Array("$A".utf8), from: 0, at: .milliseconds(1000), utc: nil, into: &bytes)
    writer.burst(Array("$B\n".utf8), from: 1, at: .milliseconds(1100), utc: nil, into: &bytes)
    writer.finish(into: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == "# t=1100 src=1\n$B\n# t=1100 src=0\n# cut\n$A\n")
  }

  @Test func `An event follows the bytes of its source, on one line`() {
    var writer = RecordingWriter()
    var bytes: [UInt8] = []
    writer.burst(Array("$A".utf8), from: 0, at: .milliseconds(10), utc: nil, into: &bytes)
    let stamp = RecordingStamp(instant: .milliseconds(20), source: 0)
    writer.event(RecordedEvent(stamp: stamp, json: RecordedEvent.sourceLost), into: &bytes)
    writer.event(RecordedEvent(stamp: stamp, json: Array("{\"a\":\n1}".utf8)), into: &bytes)
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == "# t=10 src=0\n# cut\n$A\n# t=20 src=0\n# e {\"source\":\"lost\"}\n# t=20 src=0\n# e {\"a\": 1}\n")
    #expect(items(of: bytes).events.map(\.stamp) == [stamp, stamp])
  }

  @Test func `Field values cannot break the header`() {
    let header = RecordingHeader(fields: [.init("dev ice=", "/dev/x\n$GPGGA,1*00\n# t=5")])
    #expect(
      String(decoding: header.lines, as: UTF8.self) == "# handlebar-recording 1\n# dev?ice?=/dev/x?$GPGGA,1*00?# t=5\n")
  }
}
