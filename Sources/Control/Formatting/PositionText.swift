import GPSDProtocol
import LocationClient
import LocationCore
import RideTools

enum PositionText {
  /// One line with all values, as `locate` prints it.
  static func text(_ position: Position, _ units: Units) -> String {
    let parts = [
      text(position.coordinate, position.horizontalAccuracy, units),
      position.altitudeMSL.map { "altitude \(units.length($0, decimals: 1))" },
      position.speed.map { "speed \(units.speed($0))" }, position.course.map { "heading \($0.decimals(1))°" },
      mode(position), position.time?.text, position.age.map { "\($0.inSeconds.decimals(1)) s old" },
      position.source.map { "from \($0.printable)" },
    ]
    return parts.compactMap { $0 }.joined(separator: ", ")
  }

  static func text(_ lastKnown: LastKnown, _ units: Units) -> String {
    let age = lastKnown.age.map { "\(Text.duration($0.inSeconds)) ago" }
    let when = age ?? lastKnown.time?.text ?? "some time ago"
    return "\(text(lastKnown.coordinate, lastKnown.horizontalAccuracy, units)), \(when)"
  }

  static func text(_ fix: FirstFix) -> String {
    let after = "after \(fix.duration.inSeconds.decimals(1)) s"
    switch fix.start {
    case .aided?: return "\(after), helped by \(fix.aids.map(\.rawValue.printable).joined(separator: ", "))"
    case .warm?: return "\(after): the receiver had a fix"
    case .cold?: return "\(after), without help"
    default: return after
    }
  }

  static func text(_ coordinate: Coordinate, _ accuracy: Double?, _ units: Units) -> String {
    place(coordinate) + (accuracy.map { " ±\(units.length($0, decimals: 1))" } ?? "")
  }

  static func place(_ coordinate: Coordinate) -> String {
    "\(coordinate.latitude.decimals(7)), \(coordinate.longitude.decimals(7))"
  }

  static func mode(_ position: Position) -> String { position.mode == .threeD ? "3D" : "2D" }
}

/// Positions as rows of a table of 80 columns.
struct PositionTable {
  let units: Units

  var header: String {
    let length = units.lengthUnit.uppercased()
    let speed = units.speedUnit.uppercased()
    return row([
      "UTC".left(10), "LATITUDE", "LONGITUDE", speed, "HDG", "ALT \(length)", "±\(length)", "FIX", "SATS", "WHY",
    ])
  }

  func row(_ position: Position, sky: SkyReport?) -> String {
    row([
      position.time.map { String($0.text.dropFirst(11).prefix(10)) } ?? "--:--:--.-",
      position.coordinate.latitude.decimals(6), position.coordinate.longitude.decimals(6),
      text(position.speed.map(units.speedValue)), text(position.course),
      text(position.altitudeMSL.map(units.lengthValue)), text(position.horizontalAccuracy.map(units.lengthValue)),
      PositionText.mode(position), sky.map { "\($0.usedCount)/\($0.satellites.count)" } ?? "-",
      why(position),
    ])
  }

  private func text(_ value: Double?) -> String { value?.decimals(1) ?? "-" }

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

extension InterferenceReport {
  /// What is worth a warning, and the message that states it. `reason` is why there is no fix, of the leading source:
  /// passive antennas are open, too.
  func warnings(_ reason: StateReport.AbsenceReason?) -> [(subject: String, state: String, message: String)] {
    let isJammed = jamming == .warning || jamming == .critical
    let isSpoofed = spoofing == .indicated || spoofing == .multiple
    let hasFault = antenna == .short || antenna == .open && reason == .antenna
    return [
      ("jamming", isJammed ? jamming?.rawValue : nil, jammingSource ?? "UBX"),
      ("spoofing", isSpoofed ? spoofing?.rawValue : nil, spoofingSource ?? "UBX"),
      ("antenna", hasFault ? antenna?.rawValue : nil, antennaSource ?? "TXT"),
    ].compactMap { subject, state, message in state.map { (subject, $0, message) } }
  }
}

struct ReportText {
  let units: Units

  /// An event in a line; `nil` for an update that is shown in another way.
  func line(_ update: LocationClient.Update) -> String? {
    switch update {
    case .state(let state): line(state)
    case .follow(let follow): line(follow)
    case .arrival(let arrival): line(arrival)
    case .trip(let trip): line(trip)
    case .record(let record): line(record)
    case .course(let course): line(course)
    case .sensor(let sensor): line(sensor)
    case .playback(let playback): line(playback)
    case .error(let error): "error: \(error.message.printable)"
    case .connected, .position, .sky, .disconnected: nil
    }
  }

  func line(_ state: StateReport) -> String {
    var text = "\(state.source?.printable ?? "receiver") is \(state.phase.rawValue.printable)"
    if let mode = state.mode { text += " \(mode)D" }
    if let message = state.message { text += ": " + message.printable }
    if let remedy = state.remedy { text += "; " + remedy.printable }
    if let absence = Self.absence(state) { text += ": " + absence }
    if state.isEstimating { text += "; the position is estimated" }
    if let reason = state.leadReason { text += " (leads: \(reason.rawValue.printable))" }
    if let last = state.lastKnown { text += "; last position \(PositionText.text(last, units))" }
    if let warning = Self.interference(state) { text += "; \(warning)" }
    return text
  }

  /// Why there is no fix, of a source that is open; `nil` where its error says it.
  static func absence(_ state: StateReport) -> String? {
    guard state.error == nil, let reason = state.reason else { return nil }
    switch reason {
    case .noDevice: return "unplugged"
    case .silent: return "nothing arrives: check its cable and its supply"
    case .noNMEA: return "no sentence arrives, only bytes"
    case .antenna: return "without an antenna that works"
    case .jammed: return "its reception is jammed"
    case .implausible: return "it states impossible positions"
    case .timeOnly: return "it knows the time only"
    case .noPosition: return "nothing that arrives has a position"
    case .searching:
      guard let signals = state.signals else { return "searching for satellites" }
      return "searching, signals: \(signals)" + (state.strongSignals.map { ", strong: \($0)" } ?? "")
    default: return reason.rawValue.printable
    }
  }

  static func interference(_ state: StateReport) -> String? { interference(state, state.reason) }

  /// What a receiver states about its signals and its antenna, with the messages; `nil` unless it is a warning.
  static func interference(_ report: some InterferenceReport, _ reason: StateReport.AbsenceReason?) -> String? {
    let words = report.warnings(reason).map { "\($0.subject) \($0.state) (\($0.message.printable))" }
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }

  func line(_ follow: FollowReport) -> String {
    let fix = follow.seq.map { " from fix #\($0)" } ?? ""
    let away = follow.distance.map { "\(units.length($0, decimals: 1)) away\(fix)" }
    let reasons = [follow.reason?.rawValue.printable, away].compactMap { $0 }
    let why = reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))"
    return "view \(follow.view.printable) is \(follow.isFollowing ? "following" : "not following")\(why)"
  }

  func line(_ arrival: ArrivalReport) -> String { "target \(arrival.name.printable) is \(place(of: arrival))" }

  func place(of arrival: ArrivalReport) -> String {
    var text = arrival.state.rawValue.printable + (arrival.isRepeated ? " as before" : "")
    if let distance = arrival.distance { text += ", \(units.length(distance, decimals: 0))" }
    if let bearing = arrival.bearing { text += ", bearing \(bearing.decimals(0))°" }
    if let time = arrival.timeRemaining { text += ", in \(Text.duration(time.inSeconds))" }
    return text
  }

  func line(_ trip: TripReport) -> String { "trip \(trip.name.printable) is \(figures(of: trip))" }

  func figures(of trip: TripReport) -> String {
    "\(trip.state.rawValue.printable), \(units.distance(trip.distance)) in \(Text.clock(trip.movingTime.inSeconds))"
      + (trip.ascent.map { ", \(units.length($0, decimals: 0)) up" } ?? "") + (trip.lap > 1 ? ", lap \(trip.lap)" : "")
  }

  func line(_ sensor: SensorReport) -> String {
    var text = sensor.sensor.rawValue.printable + (sensor.source.map { " \($0.printable)" } ?? "") + ": "
    // Whole numbers but of pressures, where a pascal is 8 cm, and of temperatures.
    let decimals = sensor.sensor == .pressure || sensor.sensor == .temperature ? 1 : 0
    text += sensor.value.map { "\($0.decimals(decimals)) \(sensor.unit.printable)" } ?? "no value yet"
    if sensor.age > .seconds(1) { text += ", \(Text.duration(sensor.age.inSeconds)) ago" }
    return text + (sensor.isImplausible ? ", implausible" : "")
  }

  func line(_ course: CourseReport) -> String { "course \(course.name.printable) is \(progress(on: course))" }

  func progress(on course: CourseReport) -> String {
    var text = course.state == .before ? "not begun" : course.state.rawValue.printable
    if course.isReverse { text += ", backwards" }
    if let remaining = course.remaining { text += ", \(units.distance(remaining)) to go" }
    if let ascent = course.ascent { text += ", \(units.length(ascent, decimals: 0)) up" }
    if let time = course.timeRemaining { text += ", \(Text.duration(time.inSeconds))" }
    if let distance = course.distance {
      text += "; it is \(units.length(distance, decimals: 0)) away"
      if let bearing = course.bearing { text += ", bearing \(bearing.decimals(0))°" }
    }
    if let cue = course.cue, let distance = course.cueDistance {
      text += "; in \(units.length(distance, decimals: 0)): \(cue.printable)"
    }
    return text
  }

  func line(_ record: RecordReport) -> String { "recording: \(RideText(units: units).state(record))" }

  func line(_ playback: PlaybackReport) -> String {
    var text = "\(playback.source?.printable ?? "recording") at " + Text.duration(playback.position.inSeconds)
    if let length = playback.duration { text += " of " + Text.duration(length.inSeconds) }
    if playback.isEnded { return text + ", ended" }
    if playback.isPaused { return text + ", paused" }
    return text + (playback.speed.map { ", \($0.decimals(1))×" } ?? ", at full speed")
  }
}
