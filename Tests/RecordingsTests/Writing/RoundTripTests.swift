import LocationCore
import Testing

@testable import Recordings

/// What goes in comes out, byte for byte, whatever it is and wherever the reads stopped.
struct RoundTripTests {
  /// Streams that try every rule of the form, in all mixtures.
  private static func stream(_ seed: UInt64) -> [UInt8] {
    var random = TestRandom(seed: seed)
    let pieces: [[UInt8]] = [
      Array(gga.utf8), Array(rmc.utf8), Array("$GPGGA,1*00\n".utf8), Array("$GPGLL*00\r".utf8), Array("\r\n".utf8),
      Array("# t=5 u=6 src=7\n".utf8), Array("# cut\n".utf8), Array("# x 00\n".utf8), Array("#".utf8), Array("\r".utf8),
      Array("\n".utf8), [0], [0, 0, 0, 0], [0xB5, 0x62, 1, 7, 92, 0, 10, 13, 35], [0xD3, 0, 19, 0xFF, 0x24],
      Array("{\"class\":\"TPV\",\"name\":\"é\"}\r\n".utf8), Array("# e {}\n".utf8), Array("\t$A*00\r\n".utf8),
      Array("# handlebar-recording 1\n".utf8), [UInt8](repeating: 0x41, count: 300),
    ]
    var bytes: [UInt8] = []
    for _ in 0..<200 {
      if random.below(8) == 0 {
        for _ in 0..<random.below(40) { bytes.append(UInt8(truncatingIfNeeded: random.next())) }
      } else {
        bytes += pieces[random.below(pieces.count)]
      }
    }
    return bytes
  }

  @Test(arguments: 0..<60)
  func `Any bytes in any reads come back exactly`(seed: Int) {
    let stream = Self.stream(UInt64(seed))
    var random = TestRandom(seed: UInt64(seed) &+ 1000)
    var reads: [[UInt8]] = []
    var rest = stream[...]
    while !rest.isEmpty {
      let size = 1 + random.below([1, 7, 80, 600][random.below(4)])
      reads.append(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    let step = [Int64(3), 100, 400][seed % 3]
    let file = recording(of: reads, every: step)
    #expect(file.allSatisfy { $0.isPrintable || $0 == 10 || $0 == 13 })
    let read = items(of: file, piece: 1 + random.below(5000))
    #expect(read.bytes(of: 0) == stream)
    #expect(read.damage == [])
    let times = read.bursts.compactMap(\.stamp?.instant)
    #expect(times == times.sorted())
  }

  @Test func `The bytes of two sources stay separate`() {
    let streams = [Self.stream(1), Self.stream(2)]
    var writer = RecordingWriter()
    var file = RecordingHeader(devices: ["/dev/gps0", "/dev/gps1"]).lines
    var offsets = [0, 0]
    var random = TestRandom(seed: 9)
    var time: Int64 = 0
    while offsets[0] < streams[0].count || offsets[1] < streams[1].count {
      let source = random.below(2)
      let end = min(streams[source].count, offsets[source] + 1 + random.below(200))
      writer.burst(
        Array(streams[source][offsets[source]..<end]), from: source, at: .milliseconds(time), utc: nil, into: &file)
      offsets[source] = end
      time += Int64(random.below(120))
    }
    writer.finish(into: &file)
    let read = items(of: file)
    #expect(read.bytes(of: 0) == streams[0])
    #expect(read.bytes(of: 1) == streams[1])
  }

  @Test func `Items are the same for pieces of any size`() {
    let file = recording(of: [Self.stream(4), Self.stream(5)], every: 1000)
    let whole = items(of: file)
    for piece in [1, 2, 3, 7, 64, 1000] { #expect(items(of: file, piece: piece) == whole) }
  }
}
