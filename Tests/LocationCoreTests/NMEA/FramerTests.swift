import LocationCore
import Testing

@Suite("Framer")
struct FramerTests {
  private static let gga = "$GPGGA,123519,4807.038000,N,01131.000000,E,2,,,,,,,*7C"
  private static let ggaBytes = Array(gga.utf8)

  @Test func `A sentence is reported at its checksum`() {
    let bytes = Array((Self.gga + "\r\n" + Self.gga).utf8)
    var offsets: [Int] = []
    var decoder = NMEADecoder()
    bytes.withUnsafeBytes { decoder.decode($0) { offsets.append($0.offset) } }
    #expect(offsets == [Self.gga.utf8.count, bytes.count])
  }

  @Test func `The offset counts the bytes of the input that completes the sentence`() {
    var offsets: [Int] = []
    var decoder = NMEADecoder()
    for part in [Self.ggaBytes[..<20], Self.ggaBytes[20...]] {
      Array(part).withUnsafeBytes { decoder.decode($0) { offsets.append($0.offset) } }
    }
    #expect(offsets == [Self.ggaBytes.count - 20])
  }

  @Test func `The raw bytes and the fields are those of the sentence`() throws {
    let line = try #require(Seen("\r\n" + Self.gga + "\r\n").lines.first)
    #expect(line.text == Self.gga)
    #expect(line.fields.count == 13)
    #expect(line.fields[1] == Array("4807.038000".utf8))
    #expect(line.fields[12].isEmpty)
  }

  @Test func `A wrong checksum reports both values`() throws {
    let seen = Seen("$GPGGA,123519,4807.038000,N,01131.000000,E,2,,,,,,,*00\r\n")
    #expect(seen.rejections == [.checksum(expected: 0x7C, found: 0)])
    #expect(seen.counters.checksum == 1)
  }

  /// Unicore UM980: its checksum is that of the `$`, too.
  @Test(arguments: ["$command,VERSIONA,response: OK*45", "$command,VERSIONA,response: OK*61", "$devicename,COM1*67"])
  func `An answer in small letters has the $ in its checksum or not`(_ line: String) {
    #expect(Seen(line + "\r\n").sentences == [.unknown])
    #expect(Seen(String(line.dropLast()) + "0\r\n").rejections.count == 1)
    #expect(Seen("$GPGGA,123519,4807.038000,N,01131.000000,E,2,,,,,,,*58\r\n").rejections.count == 1)
  }

  @Test func `A lower-case checksum is valid`() {
    #expect(Seen("$GPGGA,123519,4807.038000,N,01131.000000,E,2,,,,,,,*7c\r\n").sentences.count == 1)
  }

  @Test(arguments: ["$GPGGA,1235$", "$GPGGA,1235!"])
  func `Another start truncates a line`(_ start: String) {
    let seen = Seen(String(start.dropLast()) + Self.gga)
    #expect(seen.rejections == [.truncated])
    #expect(seen.sentences.count == 1)
    #expect(Seen(start).rejections == [.truncated, .truncated])
  }

  @Test func `The end of the input truncates a line`() {
    let seen = Seen(String(Self.gga.dropLast()))
    #expect(seen.rejections == [.truncated])
    #expect(seen.lines.first?.text == String(Self.gga.dropLast()))
  }

  @Test func `256 bytes from $ through *hh are accepted, 257 are not`() {
    let most = "GPTXT,01,01,02," + String(repeating: "A", count: 252 - 15)
    #expect(Seen(framing: most).sentences.count == 1)
    #expect(Seen(framing: most + "A").rejections == [.overlong])
  }

  @Test func `A line of commas stays within bounds`() {
    let seen = Seen(framing: "GPXYZ" + String(repeating: ",", count: 247))
    #expect(seen.lines.first?.fields.count == 247)
    #expect(Seen("$" + String(repeating: ",", count: 5000) + "\r\n" + Self.gga).sentences.count == 1)
  }

  @Test func `The prefer policy accepts sentences without a checksum until the first one with it`() {
    let bare = "$GPGLL,4807.03800,N,01131.00000,E,123519.00,A\r\n"
    let summed = "$GPGLL,4807.03800,N,01131.00000,E,123519.00,A*0B\r\n"
    #expect(Seen(bare + bare, checksums: .prefer).sentences.count == 2)
    let seen = Seen(bare + summed + bare, checksums: .prefer)
    #expect(seen.sentences.count == 2)
    #expect(seen.rejections == [.noChecksum])
    #expect(Seen(bare + summed + bare, checksums: .accept).sentences.count == 3)
    #expect(Seen(bare + summed + bare, checksums: .require).sentences.count == 1)
  }

  @Test(arguments: [ChecksumPolicy.require, .prefer, .accept])
  func `A wrong checksum is rejected under every policy`(_ policy: ChecksumPolicy) {
    #expect(Seen("$GPGLL,4807.03800,N,01131.00000,E,123519.00,A*0C\r\n", checksums: policy).sentences.isEmpty)
  }

  @Test func `A truncated line is never accepted without a checksum`() {
    let seen = Seen("$GPGLL,4807.03800,N,01131.00000,E,123519.00,A$GP", checksums: .accept)
    #expect(seen.sentences.isEmpty)
  }

  @Test func `Encapsulated sentences are skipped`() {
    let seen = Seen("!AIVDM,1,1,,A,14eG;o@034o8sd<L9i:a;WF>062D,0*7D\r\n" + Self.gga)
    #expect(seen.sentences.first == .unknown)
    #expect(seen.lines.first?.type == "VDM")
    #expect(seen.counters.unknown == 0)
    #expect(seen.sentences.count == 2)
  }

  @Test func `Comment lines are skipped, whatever their content`() {
    let seen = Seen("# a log with $GPRMC and !\r\n#$GPGLL,,,,,,V,N*64\r\n" + Self.gga + " # $GP\r\n")
    #expect(seen.sentences.count == 1)
    // A `#` after a sentence does not begin a comment.
    #expect(seen.rejections == [.noChecksum])
  }

  @Test(arguments: [[0x00], [0xFF, 0x41], [0xC3, 0xB6, 0x20], [0x41, 0x09, 0x7F]] as [[UInt8]])
  func `A # in binary data begins no comment that hides a sentence`(_ data: [UInt8]) {
    let bytes: [UInt8] = [0x80, 0x0A, 0x23, 0x41] + data + Self.ggaBytes
    let seen = Seen(bytes)
    #expect(seen.sentences.count == 1 && seen.rejections.isEmpty)
    for cut in bytes.indices { #expect(Seen(bytes, cuts: [cut]) == seen) }
    #expect(Seen(Array("#\ta\tb $GP\r\n".utf8) + Self.ggaBytes).counters.noise == 0)
  }

  @Test func `Sentences without an address are rejected`() {
    #expect(Seen("$*00\r\n").rejections == [.fieldCount])
    #expect(Seen("$,1*1D\r\n").rejections == [.fieldCount])
  }

  @Test func `After finish the framer is at the start of a stream`() {
    var decoder = NMEADecoder(checksums: .prefer)
    var seen = 0
    let bare = Array("$GPGLL,4807.03800,N,01131.00000,E,123519.00,A\r\n".utf8)
    Self.ggaBytes.withUnsafeBytes { decoder.decode($0) { _ in seen += 1 } }
    decoder.finish { _ in seen += 1 }
    bare.withUnsafeBytes { decoder.decode($0) { _ in seen += 1 } }
    #expect(seen == 2)
    #expect(decoder.counters.sentences == 2)
    #expect(decoder.counters.bytes == UInt64(Self.ggaBytes.count + bare.count))
  }
}
