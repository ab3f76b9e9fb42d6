import GPSDProtocol
import LocationClient
import LocationCore

/// A position as a line for a person.
enum PositionText {
  /// Columns: time, place, altitude, speed, course, accuracy, mode, satellites, source, why, number.
  static func line(_ position: Position, sky: SKY?, follow: FollowReport?) -> String {
    var columns = [
      clock(position.time), position.coordinate.latitude.decimals(7).right(11),
      position.coordinate.longitude.decimals(7).right(12),
      column(position.altitudeMSL, 1, " m", 9), column(position.speed, 1, " m/s", 9),
      column(position.course, 1, "°", 6), column(position.horizontalAccuracy, 1, " m", 8, sign: "±"),
      position.mode == .threeD ? "3D" : "2D", satellites(sky).left(5),
    ]
    if let source = position.source { columns.append(source.printable) }
    if let reason = position.reason { columns.append(reason.rawValue) }
    if let age = position.age, age > 0 { columns.append("\(age.decimals(1)) s old") }
    if let seq = position.seq { columns.append("#\(seq)") }
    if position.isSuspect { columns.append("suspect") }
    if let follow { columns.append(follow.following ? "following" : "free") }
    return columns.joined(separator: "  ")
  }

  /// What `locate` says.
  static func text(_ position: Position) -> String {
    var parts = [place(position.coordinate)]
    if let accuracy = position.horizontalAccuracy { parts[0] += " ±\(accuracy.decimals(1)) m" }
    if let altitude = position.altitudeMSL { parts.append("altitude \(altitude.decimals(1)) m") }
    if let speed = position.speed { parts.append("speed \(speed.decimals(1)) m/s") }
    if let course = position.course { parts.append("course \(course.decimals(1))°") }
    parts.append(position.mode == .threeD ? "3D" : "2D")
    if let time = position.time { parts.append(iso(time)) }
    if let age = position.age { parts.append("\(age.decimals(1)) s old") }
    if let source = position.source { parts.append("from \(source.printable)") }
    return parts.joined(separator: ", ")
  }

  static func text(_ lastKnown: LastKnown) -> String {
    let accuracy = lastKnown.horizontalAccuracy.map { " ±\($0.decimals(1)) m" } ?? ""
    return "\(place(lastKnown.coordinate))\(accuracy), \(lastKnown.age.decimals(1)) s ago"
  }

  static func place(_ coordinate: Coordinate) -> String {
    "\(coordinate.latitude.decimals(7)), \(coordinate.longitude.decimals(7))"
  }

  static func iso(_ time: UTCInstant) -> String {
    var line = JSONLine(capacity: 40)
    line.field("t", time)
    return String(decoding: line.bytes.dropFirst(5).dropLast(), as: UTF8.self)
  }

  private static func clock(_ time: UTCInstant?) -> String {
    guard let time else { return "--:--:--.---" }
    return String(iso(time).dropFirst(11).dropLast())
  }

  private static func satellites(_ sky: SKY?) -> String {
    sky.map { "\($0.satellites.count { $0.used })/\($0.satellites.count)" } ?? "-"
  }

  private static func column(_ value: Double?, _ decimals: Int, _ unit: String, _ width: Int, sign: String = "")
    -> String
  {
    (value.map { sign + $0.decimals(decimals) + unit } ?? "-").right(width)
  }
}
