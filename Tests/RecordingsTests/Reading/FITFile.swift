@testable import Recordings

/// A FIT file that is written by hand, message by message.
struct FITFile {
  typealias Field = (number: UInt8, type: UInt8, bytes: [UInt8])

  static let date: UInt8 = 0x86, semicircles: UInt8 = 0x85, short: UInt8 = 0x84, long: UInt8 = 0x86, text: UInt8 = 0x07

  var messages: [UInt8] = []
  var isBigEndian = false
  var headerSize: UInt8 = 14
  /// The size in the header, if it is not that of the messages.
  var statedSize: Int?

  func number(_ value: Int64, _ size: Int) -> [UInt8] {
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * Int64($0))) }
    return isBigEndian ? bytes.reversed() : bytes
  }

  mutating func define(_ local: UInt8, _ message: UInt16, _ fields: [Field], developer: [[UInt8]] = []) {
    messages += [(developer.isEmpty ? 0x40 : 0x60) | local, 0, isBigEndian ? 1 : 0] + number(Int64(message), 2)
    messages.append(UInt8(fields.count))
    for field in fields { messages += [field.number, UInt8(field.bytes.count), field.type] }
    guard !developer.isEmpty else { return }
    messages.append(UInt8(developer.count))
    for (index, value) in developer.enumerated() { messages += [UInt8(index), UInt8(value.count), 0] }
  }

  mutating func add(_ local: UInt8, _ fields: [Field], developer: [[UInt8]] = []) {
    messages += [local] + fields.flatMap(\.bytes) + developer.joined()
  }

  func place(_ degrees: Double) -> [UInt8] { number(Int64((degrees / 180 * 0x8000_0000).rounded()), 4) }

  /// A record at that second since 1989-12-31, and a place.
  func record(_ second: Int64, _ latitude: Double, _ longitude: Double) -> [Field] {
    [
      (253, Self.date, number(second, 4)), (0, Self.semicircles, place(latitude)),
      (1, Self.semicircles, place(longitude)),
    ]
  }

  var bytes: [UInt8] {
    let size = statedSize ?? messages.count
    var file = [headerSize, 0x20, 0, 0] + (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) }
    file += Array(".FIT".utf8) + Array(repeating: 0, count: Int(headerSize) - 12) + messages
    let sum = FITChecksum.sum(of: file[...])
    return file + [UInt8(sum & 0xFF), UInt8(sum >> 8)]
  }
}
