import GPSDProtocol
import Glibc
import LocationCore

/// Units in which people read speeds and distances; everything else is in metres and m/s.
package enum Units: String, CaseIterable, Sendable {
  case metric, imperial, si

  private static let metresPerMile = 1609.344

  package var speedUnit: String { self == .metric ? "km/h" : self == .imperial ? "mph" : "m/s" }

  /// A speed in that unit, from m/s.
  package func speedValue(_ speed: Double) -> Double {
    switch self {
    case .metric: speed * 3.6
    case .imperial: speed * 3600 / Self.metresPerMile
    case .si: speed
    }
  }

  /// A speed with its unit, `-` when unknown.
  package func speed(_ speed: Double?) -> String {
    speed.map { "\(speedValue($0).decimals(1)) \(speedUnit)" } ?? "-"
  }

  package var lengthUnit: String { self == .imperial ? "ft" : "m" }

  /// A short length in that unit, from metres.
  package func lengthValue(_ metres: Double) -> Double { self == .imperial ? metres / 0.3048 : metres }

  /// A short length with its unit: an altitude, an accuracy, an ascent.
  package func length(_ metres: Double, decimals: Int) -> String {
    "\(lengthValue(metres).decimals(decimals)) \(lengthUnit)"
  }

  package var wayUnit: String { self == .metric ? "km" : self == .imperial ? "mi" : "m" }

  /// The length of a way in that unit, from metres.
  package func wayValue(_ metres: Double) -> Double {
    self == .metric ? metres / 1000 : self == .imperial ? metres / Self.metresPerMile : metres
  }

  package func distance(_ metres: Double) -> String {
    "\(wayValue(metres).decimals(self == .si ? 0 : 2)) \(wayUnit)"
  }
}

extension Double {
  /// The number with exactly so many decimals, rounded; `?` when it is not finite.
  package func decimals(_ count: Int) -> String {
    guard isFinite else { return "?" }
    var line = JSONLine(capacity: 32)
    line.value(self, decimals: count, trimmed: false)
    return String(decoding: line.bytes, as: UTF8.self)
  }
}

/// An instant in the time zone of this process (`TZ`, else that of the machine).
package struct LocalTime: Sendable {
  /// `2026-03-19`
  package let date: String
  /// `13:35:19`
  package let time: String
  /// `+01:00`, or `Z` for UTC.
  package let zone: String
  /// Seconds east of UTC.
  let offset: Int

  package init(_ instant: UTCInstant) {
    let nanoseconds = instant.nanosecondsSince1970
    var second = time_t(nanoseconds / 1_000_000_000 - (nanoseconds % 1_000_000_000 < 0 ? 1 : 0))
    var fields = tm()
    offset = localtime_r(&second, &fields) == nil ? 0 : fields.tm_gmtoff
    let text = String(iso8601: instant + .seconds(offset))
    date = String(text.prefix(10))
    time = String(text.dropFirst(11).prefix(8))
    let minutes = abs(offset) / 60
    let digits = [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    zone = minutes == 0 ? "Z" : "\(offset < 0 ? "-" : "+")\(digits)"
  }

  /// `2026-03-19 13:35:19+01:00`
  package var text: String { "\(date) \(time)\(zone)" }
}
