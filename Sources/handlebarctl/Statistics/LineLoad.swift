/// How much of a serial line the sentences take. A byte is ten bits: 8N1.
struct LineLoad {
  /// Bits a second over the whole time.
  let mean: Double
  /// Bits a second of the fullest epoch; `nil` when the time from epoch to epoch is not known.
  let fullest: Double?
  /// What the line carries, bit/s; `nil` when nobody says.
  let speed: Int?

  /// Bits on the line for a byte.
  static let bitsPerByte = 10.0

  init?(bytes: Int, seconds: Double, fullestEpoch: Int, period: Double?, speed: Int?) {
    guard seconds > 0 else { return nil }
    mean = Double(bytes) * Self.bitsPerByte / seconds
    fullest = period.map { Double(fullestEpoch) * Self.bitsPerByte / $0 }
    self.speed = speed
  }

  /// The share of the line, 1 being all of it.
  func share(_ bitsPerSecond: Double?) -> Double? {
    guard let bitsPerSecond, let speed else { return nil }
    return bitsPerSecond / Double(speed)
  }
}
