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

  @Test(arguments: [1, 3, 64, 4096])
  func `Every value of a byte comes back at every place of a frame, and in none`(size: Int) {
    var stream: [UInt8] = []
    for value in 0...255 as ClosedRange<UInt8> {
      for place in 0..<8 {
        var payload = [UInt8](repeating: 0x55, count: 8)
        payload[place] = value
        let frame = ReceiverCommand.ubx(0x01, 0x61, payload)
        stream += frame
        // Damaged: its bytes are no frame.
        stream += frame.dropLast() + [frame[frame.count - 1] ^ 0xFF]
      }
      stream += Array(rmc.utf8) + [value, value] + Array(gga.utf8)
    }
    let reads = stride(from: 0, to: stream.count, by: size).map { Array(stream[$0..<min($0 + size, stream.count)]) }
    let file = recording(of: reads, every: 1)
    #expect(file.allSatisfy { $0.isPrintable || $0 == 10 || $0 == 13 })
    let read = items(of: file)
    #expect(read.bytes(of: 0) == stream)
    #expect(read.damage == [])
  }

  @Test func `A frame has the time of the read that completed it, although no line end follows`() {
    let frame = ReceiverCommand.ubx(0x01, 0x07, (0..<92).map { UInt8($0 % 2 == 0 ? 10 : 35) })
    let reads = (0..<20).flatMap { _ in [Array(frame.prefix(40)), Array(frame.dropFirst(40))] }
    let read = items(of: recording(of: reads, every: 50))
    let bursts = read.bursts.filter { !$0.bytes.isEmpty }
    #expect(bursts.map(\.bytes) == [[UInt8]](repeating: frame, count: 20))
    let times = bursts.compactMap { $0.stamp?.instant }
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == .milliseconds(100) })
  }

  @Test(arguments: [1, 7, 100, 65_536])
  func `A log of UBX without a header gives the frames exactly`(piece: Int) {
    let frames = (0..<300).map { index in
      // Payloads with line ends, comments, sentences and braces.
      let texts = ["\n# x 00\n", "\n{\"class\":\"TPV\"}\n", "\r\n$GNRMC,1*00\r\n", "\n{\n", "#\n#"]
      let payload = [UInt8](repeating: UInt8(index % 256), count: index) + Array(texts[index % texts.count].utf8)
      return ReceiverCommand.ubx(0x0D, UInt8(index % 256), payload)
    }
    let file = Array("# Name: a log\n".utf8) + frames.joined()
    let read = items(of: file, piece: piece)
    #expect(read.bursts.map(\.bytes) == frames)
    #expect(InputFormat.detect(file, isWhole: true) == .success(.nmea))
    for frame in frames {
      var bytes: [UInt8] = []
      RecordedInput.Content.forEach(of: frame, at: .zero) { content in
        if case .bytes(let part) = content { bytes += part } else { Issue.record("not bytes: \(content)") }
      }
      #expect(bytes == frame)
    }
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
