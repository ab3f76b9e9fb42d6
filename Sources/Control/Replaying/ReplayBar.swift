import GPSDProtocol
import LocationClient
import RideTools

struct ReplayBar {
  /// The steps of + and -.
  static let speeds = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
  let units: Units
  private(set) var playback: PlaybackReport?
  private var position: Position?
  /// When the report was received, seconds on any clock.
  private var receivedAt = 0.0

  init(units: Units = .metric) { self.units = units }

  mutating func show(_ report: PlaybackReport, at seconds: Double) {
    playback = report
    receivedAt = seconds
  }

  mutating func show(_ position: Position) { self.position = position }

  /// Seconds from the recording's start, extrapolated from the last report.
  func place(at seconds: Double) -> Double {
    guard let playback else { return 0 }
    guard !playback.isPaused, !playback.isEnded, let speed = playback.speed else { return playback.position.inSeconds }
    let place = playback.position.inSeconds + max(0, seconds - receivedAt) * speed
    return playback.duration.map { min(place, $0.inSeconds) } ?? place
  }

  func speed(faster: Bool) -> PlaybackSpeed? {
    guard let speed = playback?.speed else { return faster ? nil : Self.speeds.last.map { .times($0) } }
    return (faster ? Self.speeds.first { $0 > speed + 1e-9 } : Self.speeds.last { $0 < speed - 1e-9 }).map {
      .times($0)
    }
  }

  func line(at seconds: Double, width: Int) -> String {
    guard let playback else { return String("opening".prefix(max(0, width))) }
    let place = place(at: seconds)
    let state = playback.isEnded ? "ended  " : playback.isPaused ? "paused " : "playing"
    var left = "\(state) \(Text.place(place))"
    if let duration = playback.duration?.inSeconds { left += " / \(Text.place(duration))" }
    var right = playback.speed.map { "\($0.decimals($0 == $0.rounded() ? 0 : 1))x" } ?? "max"
    if let position {
      right += "  \(PositionText.place(position.coordinate))"
      if let speed = position.speed { right += "  \(units.speed(speed))" }
    }
    let room = min(40, width - left.count - right.count - 4)
    guard room >= 8, let duration = playback.duration?.inSeconds, duration > 0 else {
      return String("\(left)  \(right)".prefix(max(0, width)))
    }
    let part = playback.isEnded ? 1 : min(max(place / duration, 0), 1)
    let filled = Int((part * Double(room - 2)).rounded(.down))
    let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: room - 2 - filled)
    return "\(left) [\(bar)] \(right)"
  }
}
