import GPSDProtocol

extension LocationClient {
  /// What a subscriber hears.
  public enum Update: Hashable, Sendable {
    /// A daemon answers.
    case connected(VersionReport)
    /// The rider is here.
    case position(Position)
    /// The satellites in view.
    case sky(SKY)
    /// The leading source, or its state, changed.
    case state(StateReport)
    /// A view follows the rider, or no longer.
    case follow(FollowReport)
    /// A target came nearer or was reached.
    case arrival(ArrivalReport)
    /// The recording that plays in the place of a receiver.
    case playback(PlaybackReport)
    /// The daemon refused something; the connection stays.
    case error(ErrorReport)
    /// The daemon is gone, with why; connecting goes on.
    case disconnected(LocationClientError)

    init?(_ report: Report) {
      switch report {
      case .tpv(let tpv):
        guard let position = Position(tpv) else { return nil }
        self = .position(position)
      case .sky(let sky): self = .sky(sky)
      case .state(let state): self = .state(state)
      case .follow(let follow): self = .follow(follow)
      case .arrival(let arrival): self = .arrival(arrival)
      case .playback(let playback): self = .playback(playback)
      case .error(let error): self = .error(error)
      case .version, .devices, .device, .watch, .gst, .poll, .status, .record, .other: return nil
      }
    }
  }
}
