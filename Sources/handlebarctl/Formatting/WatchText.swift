import GPSDProtocol
import LocationClient

/// What `watch` says to a person: a line for each position and each event.
struct WatchText {
  let style: Style
  private(set) var wasConnected = false
  private var sky: SKY?
  private var follow: FollowReport?

  init(style: Style) {
    self.style = style
  }

  /// The line for an update, if it has one.
  mutating func line(_ update: LocationClient.Update) -> String? {
    switch update {
    case .connected(let version):
      wasConnected = true
      return style.text("connected to release \(version.release.printable)", .dim)
    case .position(let position):
      return PositionText.line(position, sky: sky, follow: follow)
    case .sky(let sky):
      self.sky = sky
      return nil
    case .state(let state):
      let colour: Style.Colour =
        switch state.state {
        case "tracking": .green
        case "failed", "lost": .red
        default: .yellow
        }
      return style.text(ReportText.line(state), colour)
    case .follow(let report):
      if follow == nil || follow?.view == report.view || report.view == "main" { follow = report }
      return style.text(ReportText.line(report), .yellow)
    case .arrival(let arrival): return style.text(ReportText.line(arrival), .yellow)
    case .playback(let playback): return style.text(ReportText.line(playback), .dim)
    case .error(let error): return style.text("the daemon says: \(error.message.printable)", .red)
    case .disconnected:
      sky = nil
      return nil
    }
  }
}
