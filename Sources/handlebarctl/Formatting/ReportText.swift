import GPSDProtocol
import LocationClient

/// What happens besides positions, as lines for a person.
enum ReportText {
  static func line(_ state: StateReport) -> String {
    var text = named(state.source, "receiver") + " is " + state.state.printable
    if let mode = state.mode { text += " \(mode)D" }
    if let message = state.message { text += ": " + message.printable }
    if let remedy = state.remedy { text += "; " + remedy.printable }
    if let leads = state.leads { text += " (leads: \(leads.printable))" }
    return text
  }

  static func line(_ follow: FollowReport) -> String {
    var reasons: [String] = []
    if let reason = follow.reason { reasons.append(reason.printable) }
    if let distance = follow.distance {
      reasons.append("\(distance.decimals(1)) m away" + (follow.seq.map { " from fix #\($0)" } ?? ""))
    }
    let why = reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))"
    return "view \(follow.view.printable) is \(follow.following ? "following" : "free")\(why)"
  }

  static func line(_ arrival: ArrivalReport) -> String {
    var text = "target \(arrival.name.printable) is \(arrival.state.printable)"
    if let distance = arrival.distance { text += ", \(distance.decimals(0)) m" }
    if let bearing = arrival.bearing { text += ", bearing \(bearing.decimals(0))°" }
    if let eta = arrival.eta { text += ", in \(duration(eta))" }
    return text
  }

  static func line(_ playback: PlaybackReport) -> String {
    var text = named(playback.source, "recording") + " at " + duration(playback.position)
    if let length = playback.duration { text += " of " + duration(length) }
    if playback.ended { return text + ", ended" }
    if playback.paused { return text + ", paused" }
    return text + (playback.speed.map { ", \($0.decimals(1))×" } ?? ", at full speed")
  }

  /// Hours, minutes, seconds.
  static func duration(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return "?" }
    let whole = Int(seconds)
    guard whole >= 60 else { return "\(seconds.decimals(1)) s" }
    let minutes = whole / 60
    guard minutes >= 60 else { return "\(minutes) min \(whole % 60) s" }
    return "\(minutes / 60) h \(minutes % 60) min"
  }

  private static func named(_ name: String?, _ other: String) -> String { name?.printable ?? other }
}
