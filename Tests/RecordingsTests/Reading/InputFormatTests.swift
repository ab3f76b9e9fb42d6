import LocationCore
import Testing

@testable import Recordings

struct InputFormatTests {
  private static let known: [(text: String, format: InputFormat)] = [
    ("# handlebar-recording 1\n# t=1 src=0\n", .recording), ("\u{0}\u{0}# handlebar-recording 1\n", .recording),
    ("# a log\n# t=100\n\(rmc)", .recording), (rmc, .nmea), ("# Description: gpsfake\n#\n\(gga)", .nmea),
    ("\u{FEFF}\(rmc)", .nmea), ("12:00:01 \(rmc)", .nmea),
    ("!AIVDM,1,1,,A,13u?etPv2;0n:dDPwUM1U1Cb069D,0*24\r\n", .nmea),
    (#"{"class":"VERSION","release":"3.22"}"#, .gpsd), ("#c\n{\"class\":\"TPV\"}\n", .gpsd),
    (#"{ "class" : "TPV"}"#, .gpsd),
    ("<?xml version='1.0'?>\n<!-- x -->\n<gpx creator='x'>", .gpx), ("\n <gpx>", .gpx), ("<g:gpx xmlns:g=''>", .gpx),
    ("", .empty), ("# only a comment\n\n", .empty), ("\u{0}\u{0}\u{0}", .empty),
  ]

  @Test(arguments: known.indices)
  func `The format is detected by content`(index: Int) {
    let (text, format) = Self.known[index]
    #expect(InputFormat.detect(Array(text.utf8), isWhole: true) == .success(format), "\(text)")
  }

  @Test(arguments: ["hello\n", "<kml></kml>", "{\"a\":1}\n", "\u{1}\u{2}UBX", "price $5, cheap", "<gpxx>"])
  func `Other files are unknown`(text: String) throws {
    #expect(InputFormat.detect(Array(text.utf8), isWhole: true) == .failure(.unknown))
    let directory = TemporaryDirectory()
    directory.write(Array(text.utf8), to: "x.nmea")
    let path = directory.path + "/x.nmea"
    let error = try #require(throws: RecordingError.self) {
      var replay = try RecordingReplay(files: [path])
      _ = try replay.next()
    }
    #expect(error.reason == .unknownFormat)
    #expect("\(error)".contains(path) && "\(error)".contains("GPX"))
  }

  @Test func `An ambiguous beginning is undecided`() {
    #expect(InputFormat.detect(Array("# comment\n".utf8), isWhole: false) == .failure(.undecided))
    #expect(InputFormat.detect(Array("<?xml".utf8), isWhole: false) == .failure(.undecided))
    let binary = [UInt8](repeating: 1, count: InputFormat.headSize)
    #expect(InputFormat.detect(binary, isWhole: false) == .failure(.unknown))
  }

  @Test func `A byte order mark is no part of the header`() {
    let text = "# handlebar-recording 1\n# boot=1\n# t=1 src=0\n\(rmc)"
    #expect(items(of: "\u{FEFF}" + text, by: InputDecoder()) == items(of: text, by: InputDecoder()))
  }

  @Test func `Every format is read in pieces of any size`() {
    for (text, _) in Self.known where !text.isEmpty {
      let bytes = Array((text + "\n").utf8)
      func read(piece: Int) -> [RecordingItem] {
        var decoder = InputDecoder()
        var items: [RecordingItem] = []
        for start in stride(from: 0, to: bytes.count, by: piece) {
          Array(bytes[start..<min(start + piece, bytes.count)]).withUnsafeBufferPointer { decoder.feed($0) }
          while let item = decoder.next() { items.append(item) }
        }
        decoder.end()
        while let item = decoder.next() { items.append(item) }
        return items
      }
      let whole = read(piece: bytes.count)
      for piece in [1, 3, 17] { #expect(read(piece: piece) == whole, "\(text)") }
    }
  }
}
