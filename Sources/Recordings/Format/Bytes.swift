import GPSDProtocol
import LocationCore

/// The next part of a receiver's bytes: a line to its end, a binary frame, or what precedes one.
enum ReceivedPart: Hashable {
  case line(end: Int)
  case frame(end: Int)
  /// More bytes are needed from `start` on.
  case incomplete(start: Int)

  /// The part that begins at `start`; with `isLast`, nothing follows the bytes, and what could be a frame is none.
  init(of bytes: UnsafeBufferPointer<UInt8>, from start: Int, isLast: Bool = false) {
    for index in start..<max(start, bytes.count) {
      switch bytes[index] {
      case UInt8(ascii: "\n"):
        self = .line(end: index + 1)
        return
      case 0xB5, 0xD3, 0xBA:
        switch BinaryFrame.scan(bytes, at: index) {
        case .complete(let length):
          self = index > start ? .line(end: index) : .frame(end: index + length)
          return
        case .incomplete where !isLast:
          self = .incomplete(start: index)
          return
        case .incomplete, .none: break
        }
      default: break
      }
    }
    self = .incomplete(start: bytes.count)
  }
}

extension [UInt8] {
  package mutating func append(decimal number: Int64) {
    if number < 0 { append(UInt8(ascii: "-")) }
    append(digits: number.magnitude, width: 1)
  }

  /// Appends a number in at least `width` decimal digits (9 at most), with leading zeros.
  package mutating func append(digits number: UInt64, width: Int) {
    append(room: 20) { JSONLine.digits(number, atLeast: width, at: $0) }
  }

  /// Appends what `write` writes, at most `room` bytes; it returns how many they are.
  @inline(__always)
  package mutating func append(room: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Int) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room) { buffer in
      guard let start = buffer.baseAddress else { return }
      append(contentsOf: UnsafeBufferPointer(start: start, count: write(start)))
    }
  }
}

extension Int64 {
  /// The value of 1 to 19 decimal digits; `nil` for anything else, including a sign and overflow.
  package init?(digits: some Collection<UInt8>) {
    guard digits.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }),
      let number = Int64(String(decoding: digits, as: UTF8.self))
    else { return nil }
    self = number
  }
}

extension UInt8 {
  package var isPrintable: Bool { self >= 0x20 && self < 0x7F }
}
