import GPSDProtocol
import LocationClient
import LocationCore

/// Positions for people.
enum PositionText {
  /// One line with all values, as `locate` prints it.
  static func text(_ position: Position, _ units: Units) -> String {
    var parts = [text(position.coordinate, position.horizontalAccuracy, units)]
    if let altitude = position.altitudeMSL { parts.append("altitude \(units.length(altitude, decimals: 1))") }
    if let speed = position.speed { parts.append("speed \(units.speed(speed))") }
    if let course = position.course { parts.append("course \(course.decimals(1))°") }
    parts.append(mode(position))
    if let time = position.time { parts.append(time.text) }
    if let age = position.age { parts.append("\(age.inSeconds.decimals(1)) s old") }
    if let source = position.source { parts.append("from \(source.printable)") }
    return parts.joined(separator: ", ")
  }

  /// The last known position, with its age.
  static func text(_ lastKnown: LastKnown, _ units: Units) -> String {
    "\(text(lastKnown.coordinate, lastKnown.horizontalAccuracy, units)), \(lastKnown.age.inSeconds.decimals(1)) s ago"
  }

  /// Latitude, longitude and accuracy.
  static func text(_ coordinate: Coordinate, _ accuracy: Double?, _ units: Units) -> String {
    place(coordinate) + (accuracy.map { " ±\(units.length($0, decimals: 1))" } ?? "")
  }

  /// Latitude and longitude, degrees.
  static func place(_ coordinate: Coordinate) -> String {
    "\(coordinate.latitude.decimals(7)), \(coordinate.longitude.decimals(7))"
  }

  /// `2D` or `3D`.
  static func mode(_ position: Position) -> String { position.mode == .threeD ? "3D" : "2D" }

  /// Used and all satellites: `8/12`.
  static func satellites(_ sky: SKY?) -> String {
    sky.map { "\($0.satellites.count { $0.used })/\($0.satellites.count)" } ?? "-"
  }
}

/// Positions as rows of a table of 80 columns.
struct PositionTable {
  let units: Units

  /// The names of the columns, with their units.
  var header: String {
    let length = units.lengthUnit.uppercased()
    return row([
      "UTC".left(10), "LATITUDE", "LONGITUDE", units.speedUnit.uppercased(), "COURSE", "ALT \(length)", "±\(length)",
      "FIX",
      "SATS", "WHY",
    ])
  }

  /// The row of a position.
  func row(_ position: Position, sky: SKY?) -> String {
    row([
      position.time.map { String($0.text.dropFirst(11).prefix(10)) } ?? "--:--:--.-",
      position.coordinate.latitude.decimals(6), position.coordinate.longitude.decimals(6),
      text(position.speed.map(units.speedValue)), text(position.course),
      text(position.altitudeMSL.map(units.lengthValue)), text(position.horizontalAccuracy.map(units.lengthValue)),
      PositionText.mode(position), PositionText.satellites(sky), why(position),
    ])
  }

  private func text(_ value: Double?) -> String { value?.decimals(1) ?? "-" }

  /// Why the position was delivered; its age when it is not new.
  private func why(_ position: Position) -> String {
    if position.isSuspect { return "suspect" }
    guard let age = position.age?.inSeconds, age >= 1 else { return position.reason?.rawValue.printable ?? "" }
    return age < 1000 ? "\(age.decimals(0)) s old" : "\((age / 60).decimals(0)) min"
  }

  private func row(_ cells: [String]) -> String {
    let widths = [10, 11, 12, 6, 7, 8, 6, 4, 6]
    let columns = zip(cells, widths).map { $0.right($1) }
    return String("\(columns.joined()) \(cells.last ?? "")".prefix(80))
  }
}
