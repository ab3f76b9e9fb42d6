import GPSDProtocol
import LocationClient

/// Events beside positions, as lines for people.
struct ReportText {
  let units: Units

  func line(_ state: StateReport) -> String {
    var text = "\(state.source?.printable ?? "receiver") is \(state.state.rawValue.printable)"
    if let mode = state.mode { text += " \(mode)D" }
    if let message = state.message { text += ": " + message.printable }
    if let remedy = state.remedy { text += "; " + remedy.printable }
    if let leads = state.leads { text += " (leads: \(leads.rawValue.printable))" }
    return text
  }

  func line(_ follow: FollowReport) -> String {
    "view \(follow.view.printable) is \(state(follow))"
  }

  /// `following` or `not following`, with the reason.
  func state(_ follow: FollowReport) -> String {
    var reasons: [String] = []
    if let reason = follow.reason { reasons.append(reason.rawValue.printable) }
    if let distance = follow.distance {
      let away = "\(units.length(distance, decimals: 1)) away"
      reasons.append(away + (follow.seq.map { " from fix #\($0)" } ?? ""))
    }
    let why = reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))"
    return (follow.following ? "following" : "not following") + why
  }

  func line(_ arrival: ArrivalReport) -> String {
    var text = "target \(arrival.name.printable) is \(arrival.state.rawValue.printable)"
    if let distance = arrival.distance { text += ", \(units.length(distance, decimals: 0))" }
    if let bearing = arrival.bearing { text += ", bearing \(bearing.decimals(0))°" }
    if let eta = arrival.eta { text += ", in \(Text.duration(eta.inSeconds))" }
    return text
  }

  func line(_ playback: PlaybackReport) -> String {
    var text = "\(playback.source?.printable ?? "recording") at " + Text.duration(playback.position.inSeconds)
    if let length = playback.duration { text += " of " + Text.duration(length.inSeconds) }
    if playback.ended { return text + ", ended" }
    if playback.paused { return text + ", paused" }
    return text + (playback.speed.map { ", \($0.decimals(1))×" } ?? ", at full speed")
  }
}
