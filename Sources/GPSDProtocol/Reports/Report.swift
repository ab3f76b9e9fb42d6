/// One line from the daemon, by its class.
public enum Report: Hashable, Sendable {
  case version(VersionReport)
  case devices(DevicesReport)
  case device(DeviceReport)
  case watch(WatchReport)
  case tpv(TPV)
  case sky(SKY)
  case gst(NoiseReport)
  case poll(POLL)
  case error(ErrorReport)
  case state(StateReport)
  case follow(FollowReport)
  case arrival(ArrivalReport)
  case playback(PlaybackReport)
  case status(StatusReport)
  case record(RecordReport)
  /// A class that this release does not know.
  case other(String)
}
