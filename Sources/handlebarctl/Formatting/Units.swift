import ArgumentParser

/// Units in which people read speeds and distances. `--json` is always in m/s and metres.
enum Units: String, CaseIterable, ExpressibleByArgument, Sendable {
  case metric
  case imperial
  case si

  private static let metresPerFoot = 0.3048
  private static let metresPerMile = 1609.344

  /// Symbol of the unit of speed.
  var speedUnit: String {
    switch self {
    case .metric: "km/h"
    case .imperial: "mph"
    case .si: "m/s"
    }
  }

  /// A speed in that unit, from m/s.
  func speedValue(_ speed: Double) -> Double {
    switch self {
    case .metric: speed * 3.6
    case .imperial: speed * 3600 / Self.metresPerMile
    case .si: speed
    }
  }

  /// A speed with its unit, `-` when unknown.
  func speed(_ speed: Double?) -> String {
    speed.map { "\(speedValue($0).decimals(1)) \(speedUnit)" } ?? "-"
  }

  /// Symbol of the unit of short lengths.
  var lengthUnit: String { self == .imperial ? "ft" : "m" }

  /// A short length in that unit, from metres.
  func lengthValue(_ metres: Double) -> Double { self == .imperial ? metres / Self.metresPerFoot : metres }

  /// A short length with its unit: an altitude, an accuracy, an ascent.
  func length(_ metres: Double, decimals: Int) -> String {
    "\(lengthValue(metres).decimals(decimals)) \(lengthUnit)"
  }

  /// The length of a ride with its unit.
  func distance(_ metres: Double) -> String {
    switch self {
    case .metric: "\((metres / 1000).decimals(2)) km"
    case .imperial: "\((metres / Self.metresPerMile).decimals(2)) mi"
    case .si: "\(metres.decimals(0)) m"
    }
  }
}

/// `--units`
struct UnitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Units of speed and length: metric (km/h, km, m), imperial (mph, mi, ft) or si (m/s, m).", valueName: "UNITS"))
  var units = Units.metric
}
