import LocationCore
import Testing

@testable import Recordings

/// What a power cut, a `kill -9` or a bad disk leave behind.
struct DamagedRecordingTests {
  private static let whole = recording(of: [
    Array((gga + rmc).utf8), Array(("\u{1}\u{2}" + gga).utf8), Array("$GP".utf8), Array("GLL,1*00\r$X".utf8),
    Array(rmc.utf8),
  ])
  private static let received = items(of: whole).bytes()

  @Test func `A file truncated anywhere is read up to there, and the tail is reported`() {
    let whole = Self.whole
    for end in 0...whole.count {
      let read = items(of: Array(whole[..<end]))
      #expect(Self.received.starts(with: read.bytes()), "cut at \(end)")
      let lastLine = whole[..<end].lastIndex(of: 10).map { $0 + 1 } ?? 0
      let isMarked = end >= "# handlebar-recording 1\n".utf8.count
      #expect(read.damage == (isMarked && lastLine < end ? [.tornTail(bytes: end - lastLine)] : []), "cut at \(end)")
    }
  }

  @Test func `A tail of NULs is skipped`() {
    let whole = Self.whole
    for end in stride(from: 30, through: whole.count, by: 1) {
      let read = items(of: Array(whole[..<end]) + [UInt8](repeating: 0, count: 5000), piece: 512)
      #expect(Self.received.starts(with: read.bytes()))
      #expect(read.damage.last == .nulRun(bytes: 5000))
      #expect(read.damage.count <= 2)
    }
  }

  @Test func `NULs in the middle interrupt one line only`() {
    var bytes = Array("# t=1 src=0\n$A*00\n$B".utf8)
    bytes += [UInt8](repeating: 0, count: 4096)
    bytes += Array("xx*00\n# t=2 src=0\n$C*00\n".utf8)
    let read = items(of: bytes, piece: 100)
    #expect(read.damage == [.tornLine(bytes: 2), .nulRun(bytes: 4096)])
    #expect(read.bytes() == Array("$A*00\nxx*00\n$C*00\n".utf8))
    #expect(read.bursts.last?.stamp?.instant == .milliseconds(2))
  }

  @Test func `A recording without its first block is recognised`() {
    let read = items(of: [UInt8](repeating: 0, count: 300) + Array("*00\n# t=1 src=0\n$A*00\n$B".utf8))
    #expect(read.damage == [.nulRun(bytes: 300), .tornTail(bytes: 2)])
    #expect(read.bursts.last?.bytes == Array("$A*00\n".utf8))
  }

  @Test func `A file of NULs is one damaged part`() {
    #expect(items(of: [UInt8](repeating: 0, count: 70_000), piece: 4096) == [.damage(.nulRun(bytes: 70_000))])
  }

  @Test(arguments: 0..<40)
  func `Random mutations never trap and never step back in size`(seed: Int) {
    var random = TestRandom(seed: UInt64(seed))
    for _ in 0..<25 {
      var bytes = Self.whole
      for _ in 0..<(1 + random.below(20)) {
        let place = random.below(bytes.count)
        switch random.below(4) {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(UInt8(ascii: "\n"), at: place)
        default: bytes.replaceSubrange(place..<min(bytes.count, place + 40), with: repeatElement(0, count: 30))
        }
      }
      let read = items(of: bytes, piece: 1 + random.below(200))
      #expect(read.bytes().count <= bytes.count)
      #expect(read == items(of: bytes))
    }
  }

  @Test func `Damage is counted by kind`() {
    var counts = RecordingDamageCounts()
    for damage in [.tornTail(bytes: 3), .nulRun(bytes: 4), .tornLine(bytes: 5), .badStamp, .notText(bytes: 6)]
      as [RecordingDamage]
    { counts.count(damage) }
    #expect(counts.tornTails == 1)
    #expect(counts.nulRuns == 1)
    #expect(counts.tornLines == 1)
    #expect(counts.badLines == 2)
    #expect(counts.bytes == 18)
    #expect(counts.total == 5)
    #expect(
      "\(counts)" == "1 truncated tail, 1 truncated line, 1 run of NUL bytes, 2 malformed lines; 18 bytes skipped")
  }
}
