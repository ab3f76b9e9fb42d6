import GPSDProtocol
import LocationCore
import Testing

@testable import Recordings

struct FITDecoderTests {
  /// 2026-03-19T12:35:00Z.
  private static let start: Int64 = 1_773_923_700 - UTCInstant.fitEpoch
  private static let longest = 1 + 2 * 255 * 255

  private static func decoded(_ bytes: [UInt8], piece: Int = 65_536) -> [RecordingItem] {
    items(of: bytes, piece: piece, by: InputDecoder())
  }

  private static func latitudes(_ items: [RecordingItem]) -> [Double] {
    items.positions.compactMap { $0.fix.map { ($0.position.latitude * 1e6).rounded() / 1e6 } }
  }

  private static func seconds(_ items: [RecordingItem]) -> [Int64] {
    items.positions.compactMap {
      $0.time.map { $0.nanosecondsSince1970 / 1_000_000_000 - UTCInstant.fitEpoch - start }
    }
  }

  /// A file of so many records, a second and 0.001° apart.
  private static func file(_ count: Int, isBigEndian: Bool = false) -> FITFile {
    var file = FITFile(isBigEndian: isBigEndian)
    for index in 0..<count {
      let fields = file.record(start + Int64(index), 48 + Double(index) / 1000, -11.5)
      if index == 0 { file.define(0, 20, fields) }
      file.add(0, fields)
    }
    return file
  }

  @Test(arguments: [false, true])
  func `A record has its place, time, altitude and speed in either order of bytes`(isBigEndian: Bool) throws {
    var file = FITFile(isBigEndian: isBigEndian, headerSize: isBigEndian ? 12 : 14)
    let fields =
      file.record(Self.start, -33.856_8, 151.215_3) + [
        (2, FITFile.short, file.number((512 + 500) * 5, 2)), (6, FITFile.short, file.number(8_250, 2)),
        (4, 0x02, [90]),
      ]
    file.define(3, 20, fields)
    file.add(3, fields)
    let items = Self.decoded(file.bytes)
    let position = try #require(items.positions.first)
    let fix = try #require(position.fix)
    #expect(items.count == 1 && items.damage.isEmpty)
    #expect(position.time == UTCInstant(iso8601: "2026-03-19T12:35:00Z".utf8))
    #expect(items.bursts.first?.stamp?.utc == position.time)
    // A semicircle is 1.9 cm at most.
    #expect(abs(fix.position.latitude + 33.856_8) < 1e-7 && abs(fix.position.longitude - 151.215_3) < 1e-7)
    #expect(fix.altitudeMSL == 512 && fix.speed == 8.25 && fix.mode == .threeD)
  }

  @Test func `The enhanced altitude and speed take precedence`() throws {
    var file = FITFile()
    let fields =
      file.record(Self.start, 48, 11) + [
        (2, FITFile.short, file.number(0, 2)), (6, FITFile.short, file.number(0, 2)),
        (78, FITFile.long, file.number((9000 + 500) * 5, 4)), (73, FITFile.long, file.number(80_000, 4)),
      ]
    file.define(0, 20, fields)
    file.add(0, fields)
    let fix = try #require(Self.decoded(file.bytes).positions.first?.fix)
    #expect(fix.altitudeMSL == 9000 && fix.speed == 80)
  }

  @Test func `An invalid value is absent`() throws {
    var file = FITFile()
    let fields =
      file.record(Self.start, 48, 11) + [
        (2, FITFile.short, [0xFF, 0xFF]), (78, FITFile.long, [0xFF, 0xFF, 0xFF, 0xFF]),
        (6, FITFile.short, [0xFF, 0xFF]),
      ]
    file.define(0, 20, fields)
    file.add(0, fields)
    // A receiver without a position yet.
    let invalid: [UInt8] = [0xFF, 0xFF, 0xFF, 0x7F]
    let unlocated: [FITFile.Field] = [
      (253, FITFile.date, file.number(Self.start + 1, 4)), (0, FITFile.semicircles, invalid),
      (1, FITFile.semicircles, invalid),
    ]
    file.add(0, unlocated + fields[3...])
    let items = Self.decoded(file.bytes)
    let fix = try #require(items.positions.first?.fix)
    #expect(fix.altitudeMSL == nil && fix.speed == nil && fix.mode == .twoD)
    #expect(items.count == 1)
  }

  @Test func `A latitude beyond a pole is damage, and so is a record without a time among others`() {
    var file = Self.file(1)
    file.add(0, file.record(Self.start + 1, 90.001, 11))
    file.add(0, file.record(0xFFFF_FFFF, 48, 11))
    file.add(0, file.record(77, 48, 11))
    let items = Self.decoded(file.bytes)
    #expect(items.bursts.count == 1 && items.damage == [.badPoint, .badPoint, .badPoint])
  }

  @Test func `Arrays, fields of developers, and unknown fields and messages are skipped`() {
    var file = FITFile()
    let unknown: [FITFile.Field] = [
      (9, 0x88, [0, 0, 0x80, 0x3F]), (77, 0x84, Array(repeating: 1, count: 254)), (1, 0x42, [3]),
    ]
    let developer: [[UInt8]] = [Array(repeating: 7, count: 255), [], [1, 2]]
    file.define(2, 0xFF00, unknown)
    file.add(2, unknown)
    file.define(5, 206, [])
    file.add(5, [])
    let first = file.record(Self.start, 48, 11) + [(200, 0x8F, Array(repeating: 0, count: 8))]
    file.define(2, 20, first, developer: developer)
    file.add(2, first, developer: developer)
    file.add(2, file.record(Self.start + 1, 49, 11) + first[3...], developer: developer)
    // The longest message: 255 fields of each kind with 255 bytes.
    let wide: [FITFile.Field] = (0..<255).map { (UInt8($0), 0x0D, Array(repeating: 5, count: 255)) }
    file.define(1, 99, wide, developer: wide.map(\.bytes))
    file.add(1, wide, developer: wide.map(\.bytes))
    file.add(2, file.record(Self.start + 2, 50, 11) + first[3...], developer: developer)
    for piece in [Int.max, 1000] {
      let items = Self.decoded(file.bytes, piece: piece)
      #expect(Self.latitudes(items) == [48, 49, 50] && items.damage.isEmpty)
    }
  }

  @Test func `A compressed time counts from the newest one, over its 32 seconds`() {
    var file = FITFile()
    let place: [FITFile.Field] = Array(file.record(0, 48, 11)[1...])
    let clock: [FITFile.Field] = [(253, FITFile.date, file.number(Self.start, 4))]
    file.define(0, 20, place)
    file.define(1, 21, clock)
    file.add(1, clock)
    let seconds = Array(stride(from: Int64(0), to: 100, by: 17))
    for second in seconds { file.add(0x80 | UInt8((Self.start + second) & 31), place) }
    #expect(Self.seconds(Self.decoded(file.bytes)) == seconds)
  }

  @Test func `A compressed time has nothing to count from at the beginning of a file`() {
    var file = FITFile()
    let place: [FITFile.Field] = Array(file.record(0, 48, 11)[1...])
    file.define(0, 20, place)
    file.add(0x85, place)
    #expect(Self.decoded(Self.file(1).bytes + file.bytes).damage == [.badPoint])
  }

  @Test func `Joined files are read one after the other, each with its own definitions`() {
    let second = Self.file(2, isBigEndian: true)
    var third = FITFile()
    third.add(0, third.record(Self.start, 48, 11))
    let items = Self.decoded(Self.file(3).bytes + second.bytes + third.bytes + Self.file(1).bytes)
    #expect(Self.latitudes(items) == [48, 48.001, 48.002, 48, 48.001, 48])
    #expect(items.damage == [.badMessage(bytes: third.messages.count)])
  }

  @Test func `Of a truncated file, what is whole is read and the rest is reported`() {
    let whole = Self.file(20)
    let bytes = whole.bytes
    let records = Self.decoded(bytes)
    #expect(records.bursts.count == 20 && records.damage.isEmpty)
    for count in 12..<bytes.count {
      let items = Self.decoded(Array(bytes[..<count]))
      let isCounted: Bool = if case .tornTail? = items.damage.first { true } else { false }
      #expect(isCounted && items.damage.count == 1, "\(count)")
      #expect(items.bursts == Array(records.bursts.prefix(items.bursts.count)))
      #expect(items.bursts.count == max(0, (count - 14 - 15) / 13), "\(count)")
    }
  }

  @Test func `A file whose size was never written is read to its end`() {
    var file = Self.file(5)
    file.statedSize = 0
    let items = Self.decoded(Array(file.bytes.dropLast(2)))
    #expect(items.bursts.count == 5 && items.damage == [.tornTail(bytes: 0)])
  }

  @Test func `A wrong checksum is reported, and so is what is behind the file`() {
    var bytes = Self.file(4).bytes
    bytes[bytes.count - 1] ^= 1
    let items = Self.decoded(bytes + Array(repeating: 0x41, count: 40))
    #expect(items.bursts.count == 4 && items.damage == [.badChecksum, .tornTail(bytes: 40)])
  }

  @Test func `Course points come with their name and kind, and only where there is no track`() throws {
    var points = TrackPoints(.fit)
    var file = FITFile()
    var fields: [FITFile.Field] = [
      (1, FITFile.date, file.number(Self.start, 4)), (2, FITFile.semicircles, file.place(48)),
      (3, FITFile.semicircles, file.place(11)), (5, 0x00, [20]),
      (6, FITFile.text, Array("Auf die Höhe".utf8) + Array(repeating: 0, count: 5)),
    ]
    file.define(0, 32, fields)
    file.add(0, fields)
    fields[3].bytes = [0xFF]
    fields[4].bytes = Array(repeating: 0, count: 18)
    file.add(0, fields)
    #expect(Self.latitudes(Self.decoded(file.bytes)) == [48, 48])
    file.bytes.withUnsafeBufferPointer { points.feed($0) }
    points.end()
    guard case .point(.waypoint, let first) = points.next(), case .point(.waypoint, let second) = points.next() else {
      Issue.record("no course points")
      return
    }
    #expect(first.name == "Auf die Höhe" && first.kind == "sharp left")
    #expect(second.name == nil && second.kind == nil)
    #expect(points.next() == nil)
  }

  @Test func `Records are the same for pieces of any size`() {
    var whole = Self.file(30).bytes
    whole += Self.file(3, isBigEndian: true).bytes + [14, 0, 0]
    let items = Self.decoded(whole)
    #expect(items.bursts.count == 33 && items.damage.count == 1)
    for piece in [1, 2, 13, 64] { #expect(Self.decoded(whole, piece: piece) == items) }
  }

  @Test func `No input traps or gives a position out of range`() {
    var random = TestRandom(seed: 11)
    let good = Self.file(12, isBigEndian: true).bytes + Self.file(12).bytes
    func read(_ bytes: [UInt8], piece: Int) -> [TrackPoints.Found] {
      var points = TrackPoints(.fit)
      var found: [TrackPoints.Found] = []
      for start in stride(from: 0, to: bytes.count, by: piece) {
        bytes[start..<min(start + piece, bytes.count)].withUnsafeBufferPointer { points.feed($0) }
        while let next = points.next() { found.append(next) }
      }
      points.end()
      while let next = points.next() { found.append(next) }
      return found
    }
    for _ in 0..<2000 {
      var bytes = good
      for _ in 0...random.below(6) {
        bytes[random.below(bytes.count)] = random.below(3) == 0 ? 0xFF : UInt8(random.below(256))
      }
      bytes.removeLast(random.below(bytes.count / 2))
      let whole = read(bytes, piece: bytes.count)
      #expect(read(bytes, piece: 1 + random.below(40)) == whole)
      for case .point(_, let point) in whole { #expect((-90...90).contains(point.position.latitude)) }
    }
  }

  @Test func `A reader holds one message at most`() {
    var reader = FITMessages()
    var file = FITFile()
    let wide: [FITFile.Field] = (0..<255).map { (UInt8($0), 0x0D, Array(repeating: 5, count: 255)) }
    file.define(1, 99, wide, developer: wide.map(\.bytes))
    for _ in 0..<10 { file.add(1, wide, developer: wide.map(\.bytes)) }
    let bytes = file.bytes
    for start in stride(from: 0, to: bytes.count, by: 65_536) {
      bytes[start..<min(start + 65_536, bytes.count)].withUnsafeBufferPointer { reader.feed($0) }
      while reader.next() != nil {}
      #expect(reader.buffered <= Self.longest)
    }
  }
}
