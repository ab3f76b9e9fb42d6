import LocationCore

/// Where a receiver's bytes come in: a serial line, a gpsd, the network, a recording. One event loop owns it and calls
/// it.
package protocol ReceiverSource: AnyObject {
  /// Begins, and goes on until `stop()`: what fails is reported and tried again.
  func start()
  /// Ends for good and gives back what it holds.
  func stop()
  /// What was counted on the way in.
  var link: LinkCounters { get }
  /// How what it plays is steered; `nil` for what happens now.
  var player: (any PlaybackPlayer)? { get }
}

extension ReceiverSource {
  package var link: LinkCounters { LinkCounters() }
  package var player: (any PlaybackPlayer)? { nil }
}
