import GPSDProtocol
import LocationCore

@testable import Recordings

/// A deterministic generator of test bytes.
struct TestRandom {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}

extension MonotonicInstant {
  static func milliseconds(_ count: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: count * 1_000_000) }
}

extension UTCInstant {
  static func milliseconds(_ count: Int64) -> UTCInstant { UTCInstant(nanosecondsSince1970: count * 1_000_000) }
}

/// A decoder of items that is fed in pieces.
protocol ItemDecoder {
  mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>)
  mutating func next() -> RecordingItem?
  mutating func end()
}

extension RecordingDecoder: ItemDecoder {}
extension InputDecoder: ItemDecoder {}
extension TrackDecoder: ItemDecoder {}

/// The items of bytes that are decoded in pieces of a size.
func items(of bytes: [UInt8], piece: Int = 65_536, by decoder: some ItemDecoder = RecordingDecoder()) -> [RecordingItem]
{
  var decoder = decoder
  var items: [RecordingItem] = []
  var offset = 0
  while offset < bytes.count {
    let end = min(bytes.count, offset + piece)
    bytes.withUnsafeBufferPointer { decoder.feed(UnsafeBufferPointer(rebasing: $0[offset..<end])) }
    offset = end
    while let item = decoder.next() { items.append(item) }
  }
  decoder.end()
  while let item = decoder.next() { items.append(item) }
  return items
}

func items(of text: String, piece: Int = 65_536, by decoder: some ItemDecoder = RecordingDecoder()) -> [RecordingItem] {
  items(of: Array(text.utf8), piece: piece, by: decoder)
}

extension [RecordingItem] {
  /// The joined bytes of all bursts of a source.
  func bytes(of source: Int? = nil) -> [UInt8] {
    flatMap { item -> [UInt8] in
      guard case .burst(let burst) = item, source == nil || burst.stamp?.source == source else { return [] }
      return burst.bytes
    }
  }

  var damage: [RecordingDamage] {
    compactMap { if case .damage(let damage) = $0 { damage } else { nil } }
  }

  var bursts: [RecordedBurst] {
    compactMap { item in
      switch item {
      case .burst(let burst): burst
      case .point(let point): RecordedBurst(stamp: point.stamp, bytes: point.line)
      default: nil
      }
    }
  }

  /// The positions of a file of points, whose bursts are gpsd's reports.
  var positions: [GPSDPosition] {
    bursts.compactMap { burst in
      let report = burst.bytes.withUnsafeBufferPointer { GPSDReport(line: $0, at: .zero) }
      guard case .position(let position) = report else { return nil }
      return position
    }
  }

  var events: [RecordedEvent] {
    compactMap { if case .event(let event) = $0 { event } else { nil } }
  }
}

/// A recording of reads from source 0, one each 100 ms.
func recording(of reads: [[UInt8]], every step: Int64 = 100) -> [UInt8] {
  var writer = RecordingWriter()
  var bytes = RecordingHeader(devices: ["/dev/gps0"], speed: 9600).lines
  for (index, read) in reads.enumerated() {
    let time = 1000 + Int64(index) * step
    writer.burst(read, from: 0, at: .milliseconds(time), utc: .milliseconds(1_773_923_719_000 + time), into: &bytes)
  }
  writer.finish(into: &bytes)
  return bytes
}

func recording(of reads: [String], every step: Int64 = 100) -> String {
  String(decoding: recording(of: reads.map { Array($0.utf8) }, every: step), as: UTF8.self)
}

let gga = "$GNGGA,123519.00,4807.03800,N,01131.00000,E,1,12,0.84,545.4,M,46.9,M,,*71\r\n"
let rmc = "$GNRMC,123519.00,A,4807.03800,N,01131.00000,E,22.4,84.4,190326,,,A,V*00\r\n"
