import LocationCore

/// Paces a log that does not say when its lines were received: by the times of day in its own sentences.
package struct SentenceClock: Sendable {
  /// Longer holes than this are cut: nobody waits for them.
  static let longestGap: Int64 = 600_000_000_000
  /// What stands for a hole that is cut, and for a step back; long enough to count as a loss.
  static let cutGap = Duration.seconds(10)
  /// Times of one epoch differ by less than this.
  private static let sameEpoch: Int64 = 10_000_000

  private var current: Int64?

  /// A clock before the first line.
  package init() {}

  /// How much later than the line before this line is; zero unless it is a sentence that begins another epoch.
  package mutating func advance(to line: some RandomAccessCollection<UInt8>) -> Duration {
    guard let time = Self.timeOfDay(of: line) else { return .zero }
    defer { current = time }
    guard let current else { return .zero }
    var delta = time - current
    if delta < -TimeOfDay.day / 2 { delta += TimeOfDay.day }
    if abs(delta) < Self.sameEpoch {
      return .zero
    }
    return (0...Self.longestGap).contains(delta) ? .nanoseconds(delta) : Self.cutGap
  }

  /// The time of day in nanoseconds that a sentence with a right checksum carries.
  private static func timeOfDay(of line: some RandomAccessCollection<UInt8>) -> Int64? {
    guard let dollar = line.firstIndex(of: UInt8(ascii: "$")) else { return nil }
    let body = line[line.index(after: dollar)...]
    guard let star = body.firstIndex(of: UInt8(ascii: "*")) else { return nil }
    let digits = body[body.index(after: star)...].prefix(2)
    let sum = body[..<star].reduce(0, ^)
    guard digits.count == 2,
      digits.elementsEqual(hexadecimal(sum)) || digits.elementsEqual(hexadecimal(sum, upper: false))
    else { return nil }
    let fields = body[..<star].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    guard let address = fields.first, address.count == 5 else { return nil }
    let index: Int
    switch String(decoding: address.suffix(3), as: UTF8.self) {
    case "RMC", "GGA", "GNS", "ZDA", "GST": index = 1
    case "GLL": index = 5
    default: return nil
    }
    return fields.count > index ? nanoseconds(of: fields[index]) : nil
  }

  private static func nanoseconds(of field: some Collection<UInt8>) -> Int64? {
    let parts = field.split(separator: UInt8(ascii: "."), maxSplits: 1)
    guard let whole = parts.first, whole.count == 6, let clock = Int(digits: whole) else { return nil }
    var fraction = 0
    if parts.count == 2 {
      guard parts[1].count <= 9, let value = Int(digits: parts[1]) else { return nil }
      fraction = (parts[1].count..<9).reduce(value) { value, _ in value * 10 }
    }
    return TimeOfDay(
      hour: clock / 10_000, minute: clock / 100 % 100, second: clock % 100, nanosecond: fraction)?.nanoseconds
  }

  private static func hexadecimal(_ byte: UInt8, upper: Bool = true) -> [UInt8] {
    let text = String(byte, radix: 16, uppercase: upper)
    return Array((byte < 16 ? "0" + text : text).utf8)
  }
}

extension Int {
  /// A number written in decimal digits only.
  fileprivate init?(digits: some Collection<UInt8>) {
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    self.init(String(decoding: digits, as: UTF8.self))
  }
}
