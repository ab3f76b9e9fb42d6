#if Foundation
  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif
  import LocationCore

  extension Date {
    /// The date of an instant, to within 0.25 µs.
    public init(_ instant: UTCInstant) {
      let (seconds, rest) = instant.nanosecondsSince1970.quotientAndRemainder(dividingBy: 1_000_000_000)
      self.init(timeIntervalSince1970: Double(seconds) + Double(rest) * 1e-9)
    }
  }

  extension UTCInstant {
    /// The instant of a date; `nil` outside the years 1678 to 2261.
    public init?(_ date: Date) {
      let seconds = date.timeIntervalSince1970.rounded(.down)
      guard abs(seconds) < 9.2e9 else { return nil }
      let rest = (date.timeIntervalSince1970 - seconds) * 1e9
      self.init(nanosecondsSince1970: Int64(seconds) * 1_000_000_000 + Int64(rest.rounded()))
    }
  }
#endif
