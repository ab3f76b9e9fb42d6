/// What a client asks, checked: every number is finite and in its range.
///
/// | request | case |
/// |---|---|
/// | `?VERSION;` `?DEVICES;` `?POLL;` `?STATUS;` | `version`, `devices`, `poll`, `status` |
/// | `?WATCH;` · `?WATCH={…}` | `watch(nil)` reports · changes the subscription |
/// | `?VIEW={…}` | `view` |
/// | `?FOLLOW;` · `?FOLLOW={"view":…}` · `?FOLLOW={"enable":…}` | `follow(view: nil)`: all views · one · `setFollow` |
/// | `?LOCATE;` · `?LOCATE={…}` | `locate` |
/// | `?TARGET;` · `?TARGET={…}` | `targets` · `setTarget`, `removeTarget` |
/// | `?PLAYBACK;` · `?PLAYBACK={…}` | `playback(nil)` · changes it |
/// | `?RECORD;` · `?RECORD={…}` | `record(nil)` · begins or ends it |
package enum Request: Hashable, Sendable {
  /// Who are you?
  case version
  /// Which devices are there?
  case devices
  /// What is my subscription (`nil`), or change it.
  case watch(WatchRequest?)
  /// The newest of everything.
  case poll
  /// Health and counters.
  case status
  /// Where the renderer's view stands.
  case view(ViewRequest)
  /// Does this view follow? `nil`: all of them.
  case follow(view: String?)
  /// Re-engage or release a view.
  case setFollow(view: String, enable: Bool)
  /// One fix, exactly one answer.
  case locate(LocateRequest)
  /// Which targets are watched?
  case targets
  /// Watch for arrival at a target.
  case setTarget(TargetRequest)
  /// Watch no longer.
  case removeTarget(name: String)
  /// How does the recording stand (`nil`), or change it.
  case playback(PlaybackRequest?)
  /// How does the recording of rides stand (`nil`), or begin or end it.
  case record(RecordRequest?)

  /// The view that a request means when it names none.
  package static let defaultView = "main"
}
