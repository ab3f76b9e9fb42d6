/// What the sentences of a receiver show of its settings: the time between epochs, and whether they have error estimates.
struct EpochWatch: Sendable {
  /// Number of arrivals that state a period where the sentences have no time.
  private static let arrivalCount = 4

  /// Time between the last two epochs, milliseconds; without times, between the last arrivals on average.
  private(set) var period: Int?
  /// Whether the last epoch had GST, 1 or 0.
  private(set) var accuracy: Int?
  /// The type that counts epochs: of RMC and GGA the one that came first.
  private var marker: String?
  /// Milliseconds of the day.
  private var time: Int?
  private var arrivals: [MonotonicInstant] = []
  private var hasNoise = false

  /// Takes a sentence. Returns whether it begins an epoch.
  mutating func take(_ fields: [String], at instant: MonotonicInstant) -> Bool {
    let type = String(fields[0].suffix(3))
    if type == "GST" { hasNoise = true }
    guard type == "RMC" || type == "GGA", fields.count > 1, marker == nil || marker == type else { return false }
    if marker != nil { accuracy = hasNoise ? 1 : 0 }
    (marker, hasNoise) = (type, false)
    arrivals = arrivals.suffix(Self.arrivalCount - 1) + [instant]
    let last = exchange(&time, with: Self.milliseconds(fields[1]))
    if let last, let time {
      period = (time - last + 86_400_000) % 86_400_000
    } else if arrivals.count == Self.arrivalCount {
      period = Int((arrivals[arrivals.count - 1] - arrivals[0]).inSeconds * 1000) / (Self.arrivalCount - 1)
    }
    return true
  }

  /// Of `hhmmss.ss`.
  private static func milliseconds(_ text: String) -> Int? {
    guard let number = Double(text), (0..<240_000).contains(number) else { return nil }
    let whole = Int(number)
    let seconds = whole / 10_000 * 3600 + whole / 100 % 100 * 60 + whole % 100
    return seconds * 1000 + Int(((number - Double(whole)) * 1000).rounded())
  }
}
